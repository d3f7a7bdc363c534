#include "inputs.h"

#include <string.h>

#define BIT(i) ((uint16_t)(1U << (i)))

static bool is_analogue(const struct threshold *threshold)
{
    return threshold->kind >= SEAT_HIGH_IS_OCCUPIED;
}

/* The seat is looked at as if for the first time. */
static void begin_anew(struct inputs *inputs, uint8_t seat)
{
    const uint16_t bit = BIT(seat);

    inputs->unsettled |= bit;
    inputs->settling_ms[seat] = 0;
    inputs->seats.moving &= (uint16_t)~bit;
    inputs->analog &= (uint16_t)~bit;
    inputs->undecided &= (uint16_t)~bit;
    if (is_analogue(&inputs->threshold[seat]))
        inputs->undecided |= bit;
}

void inputs_begin(struct inputs *inputs, const struct contacts *contacts,
                  struct table_state *state)
{
    uint8_t seat;

    inputs->keys.stable = state->keys = contacts->keys;
    inputs->buttons.stable = state->buttons = contacts->buttons;
    for (seat = 0; seat < SEATS; seat++)
        begin_anew(inputs, seat);
}

void inputs_init(struct inputs *inputs)
{
    static const struct settings defaults = {5, 200, 300, 64};
    uint8_t seat;

    memset(inputs, 0, sizeof *inputs);
    inputs->settings = defaults;
    for (seat = 0; seat < SEATS; seat++)
        inputs->threshold[seat].kind = SEAT_CLOSED_IS_OCCUPIED;
}

void inputs_set(struct inputs *inputs, const struct settings *settings)
{
    inputs->settings = *settings;
}

void inputs_set_threshold(struct inputs *inputs, uint8_t seat, const struct threshold *threshold)
{
    struct threshold *ours = &inputs->threshold[seat - 1];
    const uint16_t bit = BIT(seat - 1);
    const bool other_kind = ours->kind != threshold->kind;

    *ours = *threshold;
    if (!other_kind)
        return;
    inputs->sensor[seat - 1].seen = 0;
    inputs->sensor[seat - 1].cut_ms = 0;
    inputs->cut &= (uint16_t)~bit;
    begin_anew(inputs, (uint8_t)(seat - 1));
}

uint16_t inputs_contact_seats(const struct inputs *inputs)
{
    uint16_t contacts = 0;
    uint8_t seat;

    for (seat = 0; seat < SEATS; seat++)
        if (inputs->threshold[seat].kind && !is_analogue(&inputs->threshold[seat]))
            contacts |= BIT(seat);
    return contacts;
}

bool inputs_have_analogue_seats(const struct inputs *inputs)
{
    uint8_t seat;

    for (seat = 0; seat < SEATS; seat++)
        if (is_analogue(&inputs->threshold[seat]))
            return true;
    return false;
}

static uint16_t median(uint16_t a, uint16_t b, uint16_t c)
{
    if ((a <= b) == (b <= c))
        return b;
    return (b <= a) == (a <= c) ? a : c;
}

static void look_for_cut(struct inputs *inputs, uint8_t seat, uint16_t count)
{
    struct seat_sensor *sensor = &inputs->sensor[seat];
    const uint16_t bit = BIT(seat);

    if (count && count < ADC_HIGHEST) {
        sensor->cut_ms = 0;
        if (inputs->cut & bit) {
            inputs->cut &= (uint16_t)~bit;
            begin_anew(inputs, seat);
        }
    } else if (sensor->cut_ms < SEAT_CUT_AFTER_MS) {
        sensor->cut_ms = (uint16_t)(sensor->cut_ms + ANALOG_EVERY_MS);
    } else {
        inputs->cut |= bit;
    }
}

static void compare(struct inputs *inputs, uint8_t seat, uint16_t count)
{
    const struct threshold *threshold = &inputs->threshold[seat];
    const bool high = threshold->kind == SEAT_HIGH_IS_OCCUPIED;
    const uint16_t bit = BIT(seat);

    if (high ? count >= threshold->enter : count <= threshold->enter)
        inputs->analog |= bit;
    else if (high ? count <= threshold->leave : count >= threshold->leave)
        inputs->analog &= (uint16_t)~bit;
    else
        return;
    inputs->undecided &= (uint16_t)~bit;
}

void inputs_take_analog(struct inputs *inputs, const uint16_t counts[SEATS])
{
    uint8_t seat;

    for (seat = 0; seat < SEATS; seat++) {
        struct seat_sensor *sensor = &inputs->sensor[seat];
        uint16_t count;

        if (!is_analogue(&inputs->threshold[seat]))
            continue;
        sensor->counts[2] = sensor->counts[1];
        sensor->counts[1] = sensor->counts[0];
        sensor->counts[0] = counts[seat];
        if (sensor->seen < 3 && ++sensor->seen < 3)
            continue;
        count = median(sensor->counts[0], sensor->counts[1], sensor->counts[2]);
        look_for_cut(inputs, seat, count);
        if (!(inputs->cut & BIT(seat)))
            compare(inputs, seat, count);
    }
}

static void debounce_bit(struct debounced *bits, uint8_t i, uint16_t hold_ms, uint32_t now_us)
{
    if (!(bits->moving & BIT(i))) {
        bits->moving |= BIT(i);
        bits->held_ms[i] = 0;
        bits->edge_us[i] = now_us;
    } else {
        bits->held_ms[i]++;
    }
    if (bits->held_ms[i] < hold_ms)
        return;
    bits->stable ^= BIT(i);
    bits->moving &= (uint16_t)~BIT(i);
}

static void debounce(struct debounced *bits, uint16_t reading, uint16_t hold_ms, uint32_t now_us)
{
    const uint16_t differs = bits->stable ^ reading;
    uint8_t i;

    bits->moving &= differs;
    if (!differs)
        return;
    for (i = 0; i < DEBOUNCED_MAX; i++)
        if (differs & BIT(i))
            debounce_bit(bits, i, hold_ms, now_us);
}

static uint16_t believable(const struct inputs *inputs)
{
    uint16_t seats = 0;
    uint8_t seat;

    for (seat = 0; seat < SEATS; seat++)
        if (inputs->threshold[seat].kind)
            seats |= BIT(seat);
    return seats & (uint16_t) ~(inputs->cut | inputs->undecided);
}

static uint16_t known_seats(const struct inputs *inputs)
{
    return believable(inputs) & (uint16_t)~inputs->unsettled;
}

/* A seat that has just appeared is known once it has read the same for its hold time. */
static void settle(struct inputs *inputs, uint16_t turned)
{
    const uint16_t waiting = inputs->unsettled & believable(inputs);
    uint8_t seat;

    inputs->unsettled &= (uint16_t) ~(turned & waiting);
    if (!waiting)
        return;
    for (seat = 0; seat < SEATS; seat++) {
        if (!(waiting & BIT(seat)))
            continue;
        if (inputs->seats.moving & BIT(seat))
            inputs->settling_ms[seat] = 0;
        else if (inputs->settling_ms[seat] < inputs->settings.seat_hold_ms)
            inputs->settling_ms[seat]++;
        else
            inputs->unsettled &= (uint16_t)~BIT(seat);
    }
}

static uint16_t seat_reading(const struct inputs *inputs, uint16_t closed)
{
    uint16_t reading = 0;
    uint8_t seat;

    for (seat = 0; seat < SEATS; seat++) {
        const uint8_t kind = inputs->threshold[seat].kind;

        if (kind == SEAT_CLOSED_IS_OCCUPIED)
            reading |= (uint16_t)(closed & BIT(seat));
        else if (kind == SEAT_OPEN_IS_OCCUPIED)
            reading |= (uint16_t)(~closed & BIT(seat));
        else if (kind)
            reading |= (uint16_t)(inputs->analog & BIT(seat));
    }
    return reading;
}

static void take_seats(struct inputs *inputs, uint16_t closed, uint32_t now_us)
{
    const uint16_t moved = inputs->seats.moving, was = inputs->seats.stable;
    uint8_t seat;

    debounce(&inputs->seats, seat_reading(inputs, closed), inputs->settings.seat_hold_ms, now_us);
    settle(inputs, was ^ inputs->seats.stable);
    /* The median of three shows a step one reading late. */
    for (seat = 0; seat < SEATS; seat++)
        if (inputs->seats.moving & (uint16_t)~moved & BIT(seat) &&
            is_analogue(&inputs->threshold[seat]))
            inputs->seats.edge_us[seat] -= ANALOG_EVERY_MS * UINT32_C(1000);
}

void inputs_take(struct inputs *inputs, const struct contacts *contacts, uint32_t now_us)
{
    debounce(&inputs->keys, contacts->keys, inputs->settings.key_hold_ms, now_us);
    debounce(&inputs->buttons, contacts->buttons, inputs->settings.button_hold_ms, now_us);
    take_seats(inputs, contacts->seats, now_us);
}

/* The bits of `differs` that turned over first, all at the same moment. */
static uint16_t earliest(const struct debounced *bits, uint16_t differs, uint32_t now_us,
                         uint32_t *age_us)
{
    uint16_t first = 0;
    uint8_t i;

    for (i = 0; i < DEBOUNCED_MAX; i++) {
        const uint32_t age = now_us - bits->edge_us[i];

        if (!(differs & BIT(i)) || (first && age < *age_us))
            continue;
        if (first && age != *age_us)
            first = 0;
        first |= BIT(i);
        *age_us = age;
    }
    return first;
}

static uint8_t number_of(uint16_t bits)
{
    uint8_t number = 1;

    while (!(bits & 1)) {
        bits >>= 1;
        number++;
    }
    return number;
}

static void offer(struct change *best, uint32_t *best_age_us, uint8_t kind, uint16_t bits,
                  uint32_t age_us)
{
    if (!bits || (best->kind && age_us <= *best_age_us))
        return;
    best->kind = kind;
    best->bits = bits;
    *best_age_us = age_us;
}

struct change inputs_change(const struct inputs *inputs, const struct table_state *state,
                            uint32_t now_us)
{
    const uint16_t known = known_seats(inputs);
    const uint16_t occupied = inputs->seats.stable & known;
    struct change change = {0, 0, 0, 0, 0};
    uint32_t age_us = 0, best_age_us = 0;
    uint16_t bits;

    bits = earliest(&inputs->keys, inputs->keys.stable ^ state->keys, now_us, &age_us);
    offer(&change, &best_age_us, MSG_KEY, bits, age_us);
    bits = earliest(&inputs->buttons, inputs->buttons.stable ^ state->buttons, now_us, &age_us);
    offer(&change, &best_age_us, MSG_BUTTONS, bits, age_us);
    bits = earliest(&inputs->seats, (occupied ^ state->occupied) & known & state->known, now_us,
                    &age_us);
    offer(&change, &best_age_us, MSG_SEATS, bits, age_us);
    if (!change.kind && known != state->known) {
        change.kind = MSG_SEATS;
        change.known = known ^ state->known;
        change.bits = occupied ^ state->occupied;
    }
    if (change.kind == MSG_KEY) {
        change.key = number_of(change.bits);
        change.bits = BIT(change.key - 1);
    }
    change.time_us = now_us - best_age_us;
    return change;
}

void change_apply(struct table_state *state, const struct change *change)
{
    switch (change->kind) {
    case MSG_KEY:
        state->keys ^= change->bits;
        if (state->keys & change->bits)
            state->presses[change->key - 1]++;
        break;
    case MSG_BUTTONS:
        state->buttons ^= change->bits;
        break;
    default:
        state->occupied ^= change->bits;
        state->known ^= change->known;
    }
}
