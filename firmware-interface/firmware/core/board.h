/* The LED board: 32 x 8 lamps of one colour behind four MAX7219 in a chain.
 *
 * The chain is written a register at a time, all four chips at once. Everything is written again every
 * two seconds, for a chip that lost its registers to a spark shows nothing, or all its lamps, until told
 * (MAX7219 data sheet, "Register Address Map"). */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

#define BOARD_AGAIN_MS 2000
#define BOARD_COMMAND_BYTES (2 * BOARD_MODULES) /* register, value of each chip, leftmost first */

struct board {
    uint8_t pixels[BOARD_BYTES]; /* row by row, leftmost lamp in the highest bit */
    uint8_t brightness;          /* 0 to 15 */
    bool controller_lost;        /* shows NO CTRL instead */
    uint16_t due;                /* what must be written: five control registers, then eight rows */
    uint16_t since_again_ms;
};

void board_init(struct board *board);
void board_darken(struct board *board);

/* Takes a PIXELS body that fits its kind. */
void board_take(struct board *board, const uint8_t *body);

void board_controller_lost(struct board *board, bool lost);

/* A millisecond has passed. */
void board_tick(struct board *board);

/* What to write next; false if nothing is due. Chip select is low for just these bytes. */
bool board_next(struct board *board, uint8_t command[BOARD_COMMAND_BYTES]);

/* The picture for "controller lost", as PIXELS would send it. */
extern const uint8_t board_no_ctrl[BOARD_BYTES];

#endif
