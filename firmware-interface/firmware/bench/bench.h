/* The table around an emulated board, as the control socket moves and sees it. Both hosts of the firmware
 * (the Linux process and the simulated ATmega2560) offer it. Numbers begin at 1. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

struct bench_pixels {
    bool lit; /* false while a chip is shut down or not set up yet: nothing shows */
    uint8_t brightness;
    uint8_t rows[BOARD_BYTES];
};

void bench_key(uint8_t key, bool down);
void bench_button(uint8_t sensor, bool sensed);
void bench_seat_contact(uint8_t seat, bool closed);
void bench_seat_counts(uint8_t seat, uint16_t counts);

void bench_lamps(uint8_t rgb[3 * LAMPS]);
void bench_pixels(struct bench_pixels *pixels);
uint64_t bench_time_us(void); /* since the board's start, by its own clock */

void bench_restart(void); /* as by the reset pin */
void bench_hang(void);    /* the firmware stops doing what it should; its watchdog must help */

/* The cable to the host. A cut one loses bytes both ways. */
void bench_cut(bool cut);

#endif
