/* The lamps at the seats: colours, patterns, brightness (PROTOCOL.md, "Patterns"). */
#ifndef LAMPS_H
#define LAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

enum pattern {
    PATTERN_STEADY,
    PATTERN_SLOW,
    PATTERN_FAST,
    PATTERN_DOUBLE,
    PATTERN_WINK,
    PATTERN_GAP,
    PATTERN_HIGHEST = PATTERN_GAP
};

/* Every pattern repeats after this time, and changes at multiples of the step only. */
#define PATTERN_PERIOD_MS 2000
#define PATTERN_STEP_MS 125

#define LAMP_WIRE_BYTES (3 * LAMPS) /* green, red, blue of each, as WS2812 lamps take them */

struct lamp {
    uint8_t red, green, blue;
    uint8_t pattern;
};

struct lamps {
    struct lamp lamp[LAMPS];
    uint8_t brightness;
};

void lamps_darken(struct lamps *lamps);

/* Takes a LAMPS body that fits its kind. */
void lamps_take(struct lamps *lamps, const uint8_t *body, uint8_t length);

/* What the lamps show at that time of the period; `controller_lost`: the sign for that instead. */
void lamps_render(const struct lamps *lamps, uint16_t phase_ms, bool controller_lost,
                  uint8_t wire[LAMP_WIRE_BYTES]);

#endif
