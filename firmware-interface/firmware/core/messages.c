#include "messages.h"

#include "bytes.h"
#include "lamps.h"

#define PIXELS_BRIGHTNESS_HIGHEST 15
#define ANALOG_PERIOD_LOWEST_MS 20
#define HOLD_HIGHEST_MS 10000

static uint8_t refuse(uint8_t refusal, uint8_t at, uint8_t *detail)
{
    *detail = at;
    return refusal;
}

static bool message_is_numbered(uint8_t kind)
{
    return kind >= MSG_SNAPSHOT_PLEASE && kind <= MSG_ANALOG_PLEASE;
}

static uint8_t hello_refusal(const struct frame *frame, uint8_t *detail)
{
    if (frame->length < HELLO_BYTES)
        return refuse(WRONG_LENGTH, frame->length, detail);
    if (frame->body[0] != 'B' || frame->body[1] != 'T')
        return refuse(OUT_OF_RANGE, frame->body[0] != 'B' ? 0 : 1, detail);
    if (frame->body[2] > frame->body[3])
        return refuse(OUT_OF_RANGE, 3, detail);
    return 0;
}

static uint8_t lamps_refusal(const struct frame *frame, uint8_t *detail)
{
    uint8_t first, at;

    if (frame->length < 1 + LAMP_BYTES || (frame->length - 1) % LAMP_BYTES)
        return refuse(WRONG_LENGTH, frame->length, detail);
    first = frame->body[0];
    if (!first || first > LAMPS)
        return refuse(OUT_OF_RANGE, 0, detail);
    for (at = 1; at < frame->length; at = (uint8_t)(at + LAMP_BYTES)) {
        if (first++ > LAMPS)
            return refuse(OUT_OF_RANGE, at, detail);
        if (frame->body[at + 3] > PATTERN_HIGHEST)
            return refuse(OUT_OF_RANGE, (uint8_t)(at + 3), detail);
    }
    return 0;
}

static uint8_t pixels_refusal(const struct frame *frame, uint8_t *detail)
{
    if (frame->length < 2)
        return refuse(WRONG_LENGTH, frame->length, detail);
    if (frame->length != 1 + BOARD_BYTES)
        return refuse(WRONG_LENGTH, 1 + BOARD_BYTES, detail);
    if (frame->body[0] > PIXELS_BRIGHTNESS_HIGHEST)
        return refuse(OUT_OF_RANGE, 0, detail);
    return 0;
}

static bool is_hold(uint16_t hold_ms)
{
    return hold_ms && hold_ms <= HOLD_HIGHEST_MS;
}

static uint8_t settings_refusal(const struct frame *frame, uint8_t *detail)
{
    struct settings settings;

    if (frame->length < SETTINGS_BYTES)
        return refuse(WRONG_LENGTH, frame->length, detail);
    settings = settings_read(frame->body);
    if (!settings.key_hold_ms)
        return refuse(OUT_OF_RANGE, 0, detail);
    if (!is_hold(settings.button_hold_ms))
        return refuse(OUT_OF_RANGE, 1, detail);
    if (!is_hold(settings.seat_hold_ms))
        return refuse(OUT_OF_RANGE, 3, detail);
    return 0;
}

static uint8_t threshold_refusal(const struct frame *frame, uint8_t *detail)
{
    struct threshold threshold;

    if (frame->length < THRESHOLD_BYTES)
        return refuse(WRONG_LENGTH, frame->length, detail);
    if (!frame->body[0] || frame->body[0] > SEATS)
        return refuse(OUT_OF_RANGE, 0, detail);
    threshold = threshold_read(frame->body + 1);
    if (threshold.kind > SEAT_LOW_IS_OCCUPIED)
        return refuse(OUT_OF_RANGE, 1, detail);
    if (threshold.kind < SEAT_HIGH_IS_OCCUPIED)
        return 0;
    if (threshold.leave > ADC_HIGHEST)
        return refuse(OUT_OF_RANGE, 2, detail);
    if (threshold.enter > ADC_HIGHEST)
        return refuse(OUT_OF_RANGE, 4, detail);
    if (threshold.enter == threshold.leave ||
        (threshold.enter > threshold.leave) != (threshold.kind == SEAT_HIGH_IS_OCCUPIED))
        return refuse(OUT_OF_RANGE, 2, detail);
    return 0;
}

static uint8_t keep_refusal(const struct frame *frame, uint8_t *detail)
{
    uint8_t at;
    bool over = false;

    if (!frame->length)
        return refuse(WRONG_LENGTH, 0, detail);
    if (frame->body[0] == KEEP_SETTINGS)
        return 0;
    if (frame->body[0] != KEEP_SERIAL_NUMBER)
        return refuse(OUT_OF_RANGE, 0, detail);
    if (frame->length < 1 + SERIAL_NUMBER_BYTES)
        return refuse(WRONG_LENGTH, frame->length, detail);
    for (at = 1; at <= SERIAL_NUMBER_BYTES; at++) {
        uint8_t byte = frame->body[at];
        if (byte && (over || byte <= ' ' || byte > '~'))
            return refuse(OUT_OF_RANGE, at, detail);
        over = !byte;
    }
    return 0;
}

static uint8_t analog_please_refusal(const struct frame *frame, uint8_t *detail)
{
    uint16_t period_ms;

    if (frame->length < 2)
        return refuse(WRONG_LENGTH, frame->length, detail);
    period_ms = get_u16(frame->body);
    if (period_ms && period_ms < ANALOG_PERIOD_LOWEST_MS)
        return refuse(OUT_OF_RANGE, 0, detail);
    return 0;
}

static bool is_known(uint8_t kind)
{
    return (kind >= MSG_HELLO && kind <= MSG_ANALOG_PLEASE) || kind == MSG_ACK || kind == MSG_AGAIN;
}

uint8_t message_refusal(const struct frame *frame, uint8_t *detail)
{
    if (is_known(frame->kind) && message_is_numbered(frame->kind) != !!frame->seq)
        return refuse(OUT_OF_RANGE, 0, detail);
    switch (frame->kind) {
    case MSG_HELLO:
        return hello_refusal(frame, detail);
    case MSG_PING:
        return frame->length < 4 ? refuse(WRONG_LENGTH, frame->length, detail) : 0;
    case MSG_SNAPSHOT_PLEASE:
    case MSG_ACK:
    case MSG_AGAIN:
        return 0;
    case MSG_LAMPS:
        return lamps_refusal(frame, detail);
    case MSG_PIXELS:
        return pixels_refusal(frame, detail);
    case MSG_SETTINGS:
        return settings_refusal(frame, detail);
    case MSG_THRESHOLD:
        return threshold_refusal(frame, detail);
    case MSG_KEEP:
        return keep_refusal(frame, detail);
    case MSG_ANALOG_PLEASE:
        return analog_please_refusal(frame, detail);
    default:
        return refuse(UNKNOWN_KIND, 0, detail);
    }
}

struct threshold threshold_read(const uint8_t *at)
{
    struct threshold threshold;

    threshold.kind = at[0];
    threshold.leave = get_u16(at + 1);
    threshold.enter = get_u16(at + 3);
    return threshold;
}

uint8_t *threshold_write(uint8_t *at, const struct threshold *threshold)
{
    return put_u16(put_u16(put_u8(at, threshold->kind), threshold->leave), threshold->enter);
}

struct settings settings_read(const uint8_t *at)
{
    struct settings settings;

    settings.key_hold_ms = at[0];
    settings.button_hold_ms = get_u16(at + 1);
    settings.seat_hold_ms = get_u16(at + 3);
    settings.lamp_brightness = at[5];
    return settings;
}

uint8_t *settings_write(uint8_t *at, const struct settings *settings)
{
    at = put_u8(at, settings->key_hold_ms);
    at = put_u16(at, settings->button_hold_ms);
    at = put_u16(at, settings->seat_hold_ms);
    return put_u8(at, settings->lamp_brightness);
}

uint8_t seats_write(uint8_t *body, uint32_t time_us, const struct table_state *state)
{
    put_u16(put_u16(put_u32(body, time_us), state->occupied), state->known);
    return SEATS_BYTES;
}

uint8_t buttons_write(uint8_t *body, uint32_t time_us, const struct table_state *state)
{
    put_u16(put_u32(body, time_us), state->buttons);
    return BUTTONS_BYTES;
}

uint8_t key_write(uint8_t *body, uint32_t time_us, uint8_t key, const struct table_state *state)
{
    uint8_t *at = put_u8(put_u32(body, time_us), key);

    at = put_u8(at, (uint8_t)(state->keys >> (key - 1) & 1));
    put_u8(at, state->presses[key - 1]);
    return KEY_BYTES;
}

uint8_t fault_write(uint8_t *body, uint32_t time_us, const struct table_state *state)
{
    put_u16(put_u32(body, time_us), state->faults);
    return FAULT_BYTES;
}

uint8_t snapshot_write(uint8_t *body, uint32_t time_us, enum snapshot_reason reason, uint16_t lost,
                       const struct table_state *state)
{
    uint8_t *at = put_u8(put_u32(body, time_us), (uint8_t)reason);
    uint8_t key;

    at = put_u16(at, lost);
    at = put_u16(at, state->occupied);
    at = put_u16(at, state->known);
    at = put_u16(at, state->buttons);
    at = put_u16(at, state->keys);
    at = put_u16(at, state->faults);
    for (key = 0; key < KEYS; key++)
        at = put_u8(at, state->presses[key]);
    return SNAPSHOT_BYTES;
}
