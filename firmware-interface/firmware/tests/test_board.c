#include "board.h"
#include "testing.h"

static uint8_t chips[BOARD_MODULES][16];

static unsigned write_all(struct board *board)
{
    uint8_t command[BOARD_COMMAND_BYTES];
    unsigned count = 0;
    uint8_t chip;

    while (board_next(board, command)) {
        count++;
        for (chip = 0; chip < BOARD_MODULES; chip++)
            chips[chip][command[2 * chip]] = command[2 * chip + 1];
    }
    return count;
}

static void check_set_up(uint8_t brightness)
{
    uint8_t chip;

    for (chip = 0; chip < BOARD_MODULES; chip++) {
        CHECK_EQUAL(chips[chip][0x9], 0);
        CHECK_EQUAL(chips[chip][0xA], brightness);
        CHECK_EQUAL(chips[chip][0xB], 7);
        CHECK_EQUAL(chips[chip][0xC], 1);
        CHECK_EQUAL(chips[chip][0xF], 0);
    }
}

static void check_shows(const uint8_t *pixels)
{
    uint8_t row, chip;

    for (row = 0; row < BOARD_ROWS; row++)
        for (chip = 0; chip < BOARD_MODULES; chip++)
            CHECK_EQUAL(chips[chip][1 + row], pixels[row * BOARD_MODULES + chip]);
}

void test_board(void)
{
    struct board board;
    uint8_t body[1 + BOARD_BYTES];
    unsigned i;

    board_init(&board);
    CHECK_EQUAL(write_all(&board), 13);
    check_set_up(0);
    CHECK_EQUAL(write_all(&board), 0);

    body[0] = 9;
    for (i = 1; i <= BOARD_BYTES; i++)
        body[i] = (uint8_t)(i * 37);
    board_take(&board, body);
    CHECK_EQUAL(write_all(&board), 9);
    check_set_up(9);
    check_shows(body + 1);

    board_controller_lost(&board, true);
    write_all(&board);
    check_shows(board_no_ctrl);
    CHECK(chips[0][0xA] > 0);
    board_controller_lost(&board, false);
    write_all(&board);
    check_set_up(9);
    check_shows(body + 1);

    /* A spark wipes the chips: everything comes again by itself. */
    memset(chips, 0, sizeof chips);
    for (i = 0; i < BOARD_AGAIN_MS; i++) {
        CHECK_EQUAL(write_all(&board), 0);
        board_tick(&board);
    }
    CHECK_EQUAL(write_all(&board), 13);
    check_set_up(9);
    check_shows(body + 1);

    board_darken(&board);
    write_all(&board);
    memset(body, 0, sizeof body);
    check_shows(body + 1);
}
