"""NXP MFRC522: its registers as SPI bytes, and the frames of ISO 14443 A that go through them.

An access is one transfer: an address byte (bit 7 set to read, register number in bits 6 to 1),
then data; a read gives each value one byte late. Source: MFRC522 data sheet (rev. 3.9, chapters 8
and 9); ISO/IEC 14443-3 chapter 6 for the frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, IntFlag


class Reg(IntEnum):
    """Registers that this project uses or emulates."""

    COMMAND = 0x01
    COM_IRQ = 0x04
    DIV_IRQ = 0x05
    ERROR = 0x06
    STATUS_2 = 0x08
    FIFO_DATA = 0x09
    FIFO_LEVEL = 0x0A
    CONTROL = 0x0C
    BIT_FRAMING = 0x0D
    COLL = 0x0E
    MODE = 0x11
    TX_MODE = 0x12
    RX_MODE = 0x13
    TX_CONTROL = 0x14
    TX_ASK = 0x15
    CRC_RESULT_H = 0x21
    CRC_RESULT_L = 0x22
    MOD_WIDTH = 0x24
    RF_CFG = 0x26
    T_MODE = 0x2A
    T_PRESCALER = 0x2B
    T_RELOAD_H = 0x2C
    T_RELOAD_L = 0x2D
    VERSION = 0x37


class Cmd(IntEnum):
    IDLE = 0x00
    CALC_CRC = 0x03
    TRANSCEIVE = 0x0C
    SOFT_RESET = 0x0F


class Irq(IntFlag):
    """Of `Reg.COM_IRQ`."""

    TIMER = 0x01
    IDLE = 0x10
    RX = 0x20


class Err(IntFlag):
    """Of `Reg.ERROR`."""

    PROTOCOL = 0x01
    PARITY = 0x02
    CRC = 0x04
    COLLISION = 0x08
    OVERFLOW = 0x10


class Air(IntEnum):
    """First bytes of the reader's frames."""

    REQA = 0x26
    WUPA = 0x52
    HLTA = 0x50
    SELECT_1 = 0x93
    SELECT_2 = 0x95
    SELECT_3 = 0x97


CASCADE_TAG = 0x88
"""In place of a UID's first byte: the UID goes on at the next cascade level."""
SAK_CASCADE = 0x04
FIFO_SIZE = 64
ANTENNA_ON = 0x83
ANTENNA_OFF = 0x80
FLUSH = 0x80
START_SEND = 0x80
COLL_POS_INVALID = 0x20
TICK_S = 25e-6
"""One step of the chip's timer as `hello` sets it."""
BIT_S = 128 / 13.56e6
"""One bit on the air at 106 kbit/s."""


def writing(register: int, values: bytes | Sequence[int]) -> bytes:
    """The transfer that writes these values to one register, one after another."""
    return bytes((register << 1, *values))


def reading(register: int, count: int = 1) -> bytes:
    """The transfer that reads one register so many times; the values come behind one byte."""
    return bytes((0x80 | register << 1,) * count + (0,))


def crc_a(data: bytes) -> bytes:
    """CRC_A of ISO/IEC 14443-3 (preset 6363h), least significant byte first."""
    crc = 0x6363
    for byte in data:
        byte ^= crc & 0xFF
        byte ^= byte << 4 & 0xFF
        crc = crc >> 8 ^ byte << 8 ^ byte << 3 ^ byte >> 4
    return bytes((crc & 0xFF, crc >> 8 & 0xFF))


def check_byte(four: bytes) -> int:
    """BCC of the four bytes of a cascade level."""
    return four[0] ^ four[1] ^ four[2] ^ four[3]
