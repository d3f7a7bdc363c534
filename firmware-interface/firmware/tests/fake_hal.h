/* A board of memory cells: what hal.h asks for, with time and sensors moved by the test. */
#ifndef FAKE_HAL_H
#define FAKE_HAL_H

#include "hal.h"

#define FAKE_MEMORY 512
#define FAKE_LINE 65536

struct fake {
    uint32_t now_us;
    uint8_t reset_cause;
    struct contacts contacts;
    uint16_t counts[SEATS];
    bool analog_dead, analog_ready;
    uint16_t pulled_up;
    uint8_t memory[FAKE_MEMORY];
    uint32_t writes_left; /* the power is cut before the write after these; see fake_cut */
    bool cut;             /* it has been: nothing is written any more */
    bool worn;            /* cells do not hold what is written */
    uint8_t in[FAKE_LINE], out[FAKE_LINE];
    uint32_t in_count, in_at, out_count;
    uint16_t unsent;
    uint8_t lost;
    uint8_t lamps[LAMP_WIRE_BYTES];
    uint32_t lamps_sent, board_sent;
    uint8_t commands[64][BOARD_COMMAND_BYTES];
    uint32_t kicks;
    bool signal;
};

extern struct fake fake;

void fake_reset(void); /* all as new: memory erased */

#endif
