#include "lamps.h"

#include <string.h>

#define LAMP_BYTES 4

void lamps_darken(struct lamps *lamps)
{
    memset(lamps->lamp, 0, sizeof lamps->lamp);
}

void lamps_take(struct lamps *lamps, const uint8_t *body, uint8_t length)
{
    struct lamp *lamp = lamps->lamp + body[0] - 1;
    uint8_t at;

    for (at = 1; at < length; at = (uint8_t)(at + LAMP_BYTES), lamp++) {
        lamp->red = body[at];
        lamp->green = body[at + 1];
        lamp->blue = body[at + 2];
        lamp->pattern = body[at + 3];
    }
}

static bool is_lit(uint8_t pattern, uint16_t phase_ms)
{
    uint16_t of_second = phase_ms % 1000;

    switch (pattern) {
    case PATTERN_SLOW:
        return of_second < 500;
    case PATTERN_FAST:
        return phase_ms % 250 < 125;
    case PATTERN_DOUBLE:
        return of_second < 125 || (of_second >= 250 && of_second < 375);
    case PATTERN_WINK:
        return phase_ms < 125;
    case PATTERN_GAP:
        return phase_ms >= 250;
    default:
        return true;
    }
}

static uint8_t *render(uint8_t *wire, const struct lamp *lamp, uint8_t brightness, bool lit)
{
    uint16_t scale = lit && brightness ? (uint16_t)(brightness + 1) : 0;

    wire[0] = (uint8_t)(lamp->green * scale >> 8);
    wire[1] = (uint8_t)(lamp->red * scale >> 8);
    wire[2] = (uint8_t)(lamp->blue * scale >> 8);
    return wire + 3;
}

void lamps_render(const struct lamps *lamps, uint16_t phase_ms, bool controller_lost,
                  uint8_t wire[LAMP_WIRE_BYTES])
{
    static const struct lamp lost = {255, 0, 0, PATTERN_SLOW};
    uint8_t i;

    if (controller_lost) {
        memset(wire, 0, LAMP_WIRE_BYTES);
        render(wire, &lost, lamps->brightness, is_lit(lost.pattern, phase_ms));
        return;
    }
    for (i = 0; i < LAMPS; i++)
        wire = render(wire, &lamps->lamp[i], lamps->brightness,
                      is_lit(lamps->lamp[i].pattern, phase_ms));
}
