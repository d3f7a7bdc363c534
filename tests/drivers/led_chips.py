"""Twins of LED chips: they take what the wire brings, as the datasheets say, and tell which lamps
are lit. Written apart from the encoders, from the other side of the wire."""

from __future__ import annotations

RESET_BITS = 672  # 280 microseconds at 2.4 MHz


class Ws2812Chain:
    """Lamps that each take the first 24 bits after a reset and pass on the rest."""

    def __init__(self, lamps: int, order: str = "grb") -> None:
        self.order = order
        self.colours: list[tuple[int, int, int]] = [(0, 0, 0)] * lamps

    def feed(self, transfer: bytes) -> None:
        """One transfer at 2.4 MHz. Raises AssertionError for pulses no lamp would understand."""
        line = "".join(f"{byte:08b}" for byte in transfer)
        assert not line[:RESET_BITS].count("1"), "no reset before the lamps"
        assert not line[-RESET_BITS:].count("1"), "no reset after the lamps"
        pulses = line.strip("0").replace("01", "0 1").split()
        for pulse in pulses[:-1]:
            assert len(pulse) == 3, f"a pulse every {len(pulse)} bits"
        assert all(pulse.count("1") in (1, 2) for pulse in pulses), "a pulse too long"
        bits = [pulse.count("1") - 1 for pulse in pulses]
        assert len(bits) % 24 == 0, f"{len(bits)} bits"
        for n in range(min(len(bits) // 24, len(self.colours))):
            word = bits[24 * n : 24 * n + 24]
            values = [int("".join(map(str, word[k : k + 8])), 2) for k in (0, 8, 16)]
            by_name = dict(zip(self.order, values, strict=True))
            self.colours[n] = (by_name["r"], by_name["g"], by_name["b"])


class Max7219Chain:
    """Modules in series: each holds 16 bits and pushes the older ones on; all latch at the end."""

    def __init__(self, modules: int) -> None:
        fresh = dict.fromkeys(range(1, 9), 0) | {9: 0, 10: 0, 11: 0, 12: 0, 15: 0}
        self.registers = [dict(fresh) for _ in range(modules)]

    def feed(self, transfer: bytes) -> None:
        """One transfer under one chip select."""
        assert len(transfer) % 2 == 0
        words = [(transfer[n] & 15, transfer[n + 1]) for n in range(0, len(transfer), 2)]
        # The last word sent is in the module nearest to the Pi.
        for module, (register, value) in zip(self.registers, reversed(words), strict=False):
            if register:
                module[register] = value

    def brown_out(self, module: int) -> None:
        """A dip of the supply: the module is as after power-up, shut down and scanning one row."""
        self.registers[module] |= {9: 0xFF, 10: 0, 11: 0, 12: 0, 15: 0}

    def lamp(self, module: int, x: int, y: int) -> bool:
        """Whether a lamp is lit, x from the module's left, y from its top."""
        chip = self.registers[module]
        if chip[15]:
            return True
        if not chip[12] or y > chip[11] or chip[9]:
            return False
        return bool(chip[1 + y] >> (7 - x) & 1)
