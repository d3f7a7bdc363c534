#include "lamps.h"
#include "testing.h"

static struct lamps lamps;

/* Which 125 ms of two seconds a pattern is lit in, as PROTOCOL.md has it; the first is the lowest bit. */
static uint16_t lit_steps(uint8_t pattern)
{
    uint8_t body[] = {1, 255, 255, 255, 0};
    uint16_t lit = 0, step;

    body[4] = pattern;
    lamps_take(&lamps, body, sizeof body);
    for (step = 0; step < 16; step++) {
        uint8_t first[LAMP_WIRE_BYTES], last[LAMP_WIRE_BYTES];

        lamps_render(&lamps, (uint16_t)(step * 125), false, first);
        lamps_render(&lamps, (uint16_t)(step * 125 + 124), false, last);
        CHECK(!memcmp(first, last, sizeof first));
        if (first[0])
            lit |= (uint16_t)(1 << step);
    }
    return lit;
}

static void patterns_are_those_of_the_protocol(void)
{
    lamps.brightness = 255;
    CHECK_EQUAL(lit_steps(PATTERN_STEADY), 0xFFFF);
    CHECK_EQUAL(lit_steps(PATTERN_SLOW), 0x0F0F);
    CHECK_EQUAL(lit_steps(PATTERN_FAST), 0x5555);
    CHECK_EQUAL(lit_steps(PATTERN_DOUBLE), 0x0505);
    CHECK_EQUAL(lit_steps(PATTERN_WINK), 0x0001);
    CHECK_EQUAL(lit_steps(PATTERN_GAP), 0xFFFC);
}

static void colours_go_out_as_the_lamps_want_them(void)
{
    const uint8_t body[] = {10, 1, 2, 3, 0, 255, 128, 64, 0};
    uint8_t wire[LAMP_WIRE_BYTES];

    lamps_darken(&lamps);
    lamps_take(&lamps, body, sizeof body);
    lamps.brightness = 255;
    lamps_render(&lamps, 0, false, wire);
    CHECK(!memcmp(wire + 27, "\x02\x01\x03\x80\xff\x40", 6));
    CHECK(!wire[26]);
    lamps.brightness = 127;
    lamps_render(&lamps, 0, false, wire);
    CHECK(!memcmp(wire + 30, "\x40\x7f\x20", 3));
    lamps.brightness = 0;
    lamps_render(&lamps, 0, false, wire);
    CHECK(!memcmp(wire + 27, "\0\0\0\0\0\0", 6));
}

static void a_lost_controller_leaves_one_slow_red_lamp(void)
{
    uint8_t wire[LAMP_WIRE_BYTES], i;

    lamps.brightness = 255;
    lamps_render(&lamps, 499, true, wire);
    CHECK(!memcmp(wire, "\0\xff\0", 3));
    for (i = 3; i < LAMP_WIRE_BYTES; i++)
        CHECK_EQUAL(wire[i], 0);
    lamps_render(&lamps, 500, true, wire);
    CHECK_EQUAL(wire[1], 0);
}

void test_lamps(void)
{
    patterns_are_those_of_the_protocol();
    colours_go_out_as_the_lamps_want_them();
    a_lost_controller_leaves_one_slow_red_lamp();
}
