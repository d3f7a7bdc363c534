"""What can go wrong with a device: a small tree in which every error says what, where and what to
do next.

No message ever carries bytes from a wire: they may hold card identities.
"""

from __future__ import annotations


class DriverError(Exception):
    """A device cannot do its work. `what` happened, `where` (device, port, antenna), `remedy` (what
    to do next)."""

    def __init__(self, what: str, where: str, remedy: str) -> None:
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.remedy}"


class MisconfiguredError(DriverError):
    """The configuration asks for something that no driver can do. Trying again does not help."""


class UnknownDriverError(MisconfiguredError):
    """No driver goes by the configured name."""


class PortUnavailableError(DriverError):
    """The serial port or network address cannot be opened."""


class WrongDeviceError(PortUnavailableError):
    """Another device is behind the port than the configuration says."""


class LinkLostError(DriverError):
    """The port was open and is gone: unplugged, switched off, closed by the far end."""


class DeviceSilentError(DriverError):
    """The port is open but the device does not answer."""


class FirmwareUnknownError(DriverError):
    """The device answers, in a version that we do not speak."""


class AntennaRefusedError(DriverError):
    """The reader does not switch to a configured antenna."""
