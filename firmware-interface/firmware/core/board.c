#include "board.h"

#include <string.h>

enum max7219 {
    FIRST_ROW = 0x01,
    DECODE_MODE = 0x09,
    INTENSITY = 0x0A,
    SCAN_LIMIT = 0x0B,
    SHUTDOWN = 0x0C,
    DISPLAY_TEST = 0x0F
};

/* Shutdown is left last, so that a chip wakes up with its rows right. Rows come before it in time, too:
 * their bits are lower. */
#define ROWS_DUE 0x00FFU
#define INTENSITY_DUE 0x0400U
#define ALL_DUE 0x1FFFU

#define NO_CTRL_BRIGHTNESS 3

const uint8_t board_no_ctrl[BOARD_BYTES] = {
    0x89, 0x86, 0x7D, 0xC8, /* #...#..##....##..#####.###..#... */
    0xCA, 0x49, 0x11, 0x28, /* ##..#.#..#..#..#...#...#..#.#... */
    0xAA, 0x48, 0x11, 0x28, /* #.#.#.#..#..#......#...#..#.#... */
    0xAA, 0x48, 0x11, 0xC8, /* #.#.#.#..#..#......#...###..#... */
    0x9A, 0x48, 0x11, 0x48, /* #..##.#..#..#......#...#.#..#... */
    0x8A, 0x49, 0x11, 0x28, /* #...#.#..#..#..#...#...#..#.#... */
    0x89, 0x86, 0x11, 0x2F, /* #...#..##....##....#...#..#.#### */
    0x00, 0x00, 0x00, 0x00, /* ................................ */
};

void board_init(struct board *board)
{
    memset(board, 0, sizeof *board);
    board->due = ALL_DUE;
}

void board_darken(struct board *board)
{
    memset(board->pixels, 0, sizeof board->pixels);
    board->due |= ROWS_DUE;
}

void board_take(struct board *board, const uint8_t *body)
{
    board->brightness = body[0];
    memcpy(board->pixels, body + 1, BOARD_BYTES);
    board->due |= ROWS_DUE | INTENSITY_DUE;
}

void board_controller_lost(struct board *board, bool lost)
{
    if (board->controller_lost == lost)
        return;
    board->controller_lost = lost;
    board->due |= ROWS_DUE | INTENSITY_DUE;
}

void board_tick(struct board *board)
{
    if (++board->since_again_ms < BOARD_AGAIN_MS)
        return;
    board->since_again_ms = 0;
    board->due = ALL_DUE;
}

static uint8_t lowest(uint16_t mask)
{
    uint8_t bit = 0;

    while (!(mask & 1)) {
        mask >>= 1;
        bit++;
    }
    return bit;
}

static void for_all_chips(uint8_t *command, uint8_t address, uint8_t value)
{
    uint8_t chip;

    for (chip = 0; chip < BOARD_MODULES; chip++) {
        *command++ = address;
        *command++ = value;
    }
}

static void row_command(const struct board *board, uint8_t row, uint8_t *command)
{
    const uint8_t *pixels = board->controller_lost ? board_no_ctrl : board->pixels;
    uint8_t chip;

    for (chip = 0; chip < BOARD_MODULES; chip++) {
        *command++ = (uint8_t)(FIRST_ROW + row);
        *command++ = pixels[row * BOARD_MODULES + chip];
    }
}

bool board_next(struct board *board, uint8_t command[BOARD_COMMAND_BYTES])
{
    static const uint8_t control[][2] = {
        {DECODE_MODE, 0}, {SCAN_LIMIT, 7}, {INTENSITY, 0}, {DISPLAY_TEST, 0}, {SHUTDOWN, 1}};
    uint8_t bit;

    if (!board->due)
        return false;
    bit = lowest(board->due);
    board->due &= (uint16_t) ~(1U << bit);
    if (bit < BOARD_ROWS) {
        row_command(board, bit, command);
        return true;
    }
    if (1U << bit == INTENSITY_DUE)
        for_all_chips(command, INTENSITY,
                      board->controller_lost ? NO_CTRL_BRIGHTNESS : board->brightness);
    else
        for_all_chips(command, control[bit - BOARD_ROWS][0], control[bit - BOARD_ROWS][1]);
    return true;
}
