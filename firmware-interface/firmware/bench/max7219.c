#include "max7219.h"

#include <string.h>

enum { DECODE_MODE = 9, INTENSITY = 10, SCAN_LIMIT = 11, SHUTDOWN = 12, DISPLAY_TEST = 15 };

void max7219_power_on(struct max7219_chain *chain)
{
    memset(chain, 0, sizeof *chain);
}

void max7219_shift(struct max7219_chain *chain, uint8_t byte)
{
    memmove(chain->shifted, chain->shifted + 1, sizeof chain->shifted - 1);
    chain->shifted[sizeof chain->shifted - 1] = byte;
}

/* What was shifted in first has come furthest: it lies in the leftmost chip, for the chain is fed from
 * the right. */
void max7219_latch(struct max7219_chain *chain)
{
    int chip;

    for (chip = 0; chip < BOARD_MODULES; chip++) {
        uint8_t address = chain->shifted[2 * chip] & 15;

        if (address) /* register 0 does nothing */
            chain->registers[chip][address] = chain->shifted[2 * chip + 1];
    }
}

/* A board counts as lit only if all chips are set up alike for rows of single lamps. */
static bool is_set_up(const uint8_t *chip, uint8_t intensity)
{
    return chip[SHUTDOWN] & 1 && !(chip[DISPLAY_TEST] & 1) && !chip[DECODE_MODE] &&
           (chip[SCAN_LIMIT] & 7) == 7 && (chip[INTENSITY] & 15) == intensity;
}

void max7219_show(const struct max7219_chain *chain, struct bench_pixels *pixels)
{
    int chip, row;

    pixels->brightness = chain->registers[0][INTENSITY] & 15;
    pixels->lit = true;
    for (chip = 0; chip < BOARD_MODULES; chip++) {
        if (!is_set_up(chain->registers[chip], pixels->brightness))
            pixels->lit = false;
        for (row = 0; row < BOARD_ROWS; row++)
            pixels->rows[row * BOARD_MODULES + chip] = chain->registers[chip][1 + row];
    }
}
