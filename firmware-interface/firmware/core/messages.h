/* Bodies of the table link's messages (PROTOCOL.md, "Kinds"): values to bytes and back, and what of
 * a body is refused. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "table.h"

enum kind {
    MSG_HELLO = 0x01,
    MSG_PING = 0x02,
    MSG_SNAPSHOT_PLEASE = 0x03,
    MSG_LAMPS = 0x04,
    MSG_PIXELS = 0x05,
    MSG_SETTINGS = 0x06,
    MSG_THRESHOLD = 0x07,
    MSG_KEEP = 0x08,
    MSG_ANALOG_PLEASE = 0x09,
    MSG_ACK = 0x10,
    MSG_AGAIN = 0x11,
    MSG_IDENTITY = 0x81,
    MSG_PONG = 0x82,
    MSG_BOOTED = 0x83,
    MSG_SEATS = 0x84,
    MSG_BUTTONS = 0x85,
    MSG_KEY = 0x86,
    MSG_FAULT = 0x87,
    MSG_SNAPSHOT = 0x88,
    MSG_ANALOG = 0x89,
    MSG_KEPT = 0x8A,
    MSG_REFUSED = 0x8B
};

enum refusal { UNKNOWN_KIND = 1, WRONG_LENGTH = 2, OUT_OF_RANGE = 3 };

enum snapshot_reason { AT_START = 0, ASKED_FOR = 1, GAP = 2 };

enum keep { KEEP_SETTINGS = 1, KEEP_SERIAL_NUMBER = 2 };

enum reset_cause { POWER_ON = 1, RESET_PIN = 2, BROWN_OUT = 4, WATCHDOG = 8 };

enum identity_flag {
    SEATS_ANALOGUE = 1 << 0,
    BOARD_THERE = 1 << 1,
    LAMPS_THERE = 1 << 2,
    THRESHOLDS_KEPT = 1 << 3,
    SERIAL_NUMBER_KEPT = 1 << 4
};

enum fault {
    COPY_A_DAMAGED = 1 << 0,
    COPY_B_DAMAGED = 1 << 1,
    BOTH_COPIES_DAMAGED = 1 << 2,
    SEAT_SENSOR_CUT = 1 << 3,
    BYTES_LOST = 1 << 4,
    WATCHDOG_RESTART = 1 << 5
};

enum seat_kind {
    SEAT_NONE,
    SEAT_CLOSED_IS_OCCUPIED,
    SEAT_OPEN_IS_OCCUPIED,
    SEAT_HIGH_IS_OCCUPIED,
    SEAT_LOW_IS_OCCUPIED
};

struct threshold {
    uint8_t kind; /* enum seat_kind */
    uint16_t leave;
    uint16_t enter;
};

struct settings {
    uint8_t key_hold_ms;
    uint16_t button_hold_ms;
    uint16_t seat_hold_ms;
    uint8_t lamp_brightness;
};

/* The state of everything, as the host is to know it. */
struct table_state {
    uint16_t occupied;
    uint16_t known;
    uint16_t buttons;
    uint16_t keys;
    uint16_t faults;
    uint8_t presses[KEYS];
};

#define HELLO_BYTES 4
#define IDENTITY_BYTES 32
#define BOOTED_BYTES 6
#define PONG_BYTES 8
#define SEATS_BYTES 8
#define BUTTONS_BYTES 6
#define KEY_BYTES 7
#define FAULT_BYTES 6
#define SNAPSHOT_BYTES (17 + KEYS)
#define ANALOG_BYTES (4 + 2 * SEATS)
#define KEPT_BYTES 2
#define REFUSED_BYTES 3
#define THRESHOLD_BYTES 6
#define SETTINGS_BYTES 6
#define LAMP_BYTES 4

/* Judges a host's message: 0 if number and body fit its kind, else a refusal with the place of what
 * offends in `detail`. Whoever reads a body that fits need not look at lengths again. */
uint8_t message_refusal(const struct frame *frame, uint8_t *detail);

struct threshold threshold_read(const uint8_t *at); /* kind, leave, enter */
uint8_t *threshold_write(uint8_t *at, const struct threshold *threshold);
struct settings settings_read(const uint8_t *at);
uint8_t *settings_write(uint8_t *at, const struct settings *settings);

/* The bodies of the board's changes; each gives its length. */
uint8_t seats_write(uint8_t *body, uint32_t time_us, const struct table_state *state);
uint8_t buttons_write(uint8_t *body, uint32_t time_us, const struct table_state *state);
uint8_t key_write(uint8_t *body, uint32_t time_us, uint8_t key, const struct table_state *state);
uint8_t fault_write(uint8_t *body, uint32_t time_us, const struct table_state *state);
uint8_t snapshot_write(uint8_t *body, uint32_t time_us, enum snapshot_reason reason, uint16_t lost,
                       const struct table_state *state);

#endif
