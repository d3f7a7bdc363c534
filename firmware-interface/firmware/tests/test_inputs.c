#include "inputs.h"
#include "testing.h"

#define MS 1000U

static struct inputs inputs;
static struct table_state state;
static struct contacts contacts;
static uint16_t counts[SEATS];
static uint32_t now_us, ms;
static struct change told[64];
static unsigned tells;

static void begin(void)
{
    inputs_init(&inputs);
    memset(&state, 0, sizeof state);
    memset(&contacts, 0, sizeof contacts);
    inputs_begin(&inputs, &contacts, &state);
    memset(counts, 0, sizeof counts);
    now_us = UINT32_MAX - 700U * MS; /* the clock wraps in the midst of things */
    ms = tells = 0;
}

static void pass(unsigned milliseconds)
{
    while (milliseconds--) {
        struct change change;

        now_us += MS;
        if (ms++ % ANALOG_EVERY_MS == 0)
            inputs_take_analog(&inputs, counts);
        inputs_take(&inputs, &contacts, now_us);
        while ((change = inputs_change(&inputs, &state, now_us)).kind) {
            change_apply(&state, &change);
            CHECK(tells < 64);
            told[tells++] = change;
        }
    }
}

static void settle(void)
{
    pass(400);
    tells = 0;
}

static void a_press_counts_after_its_hold_time(void)
{
    uint32_t edge_us;

    begin();
    settle();
    contacts.keys = 1 << 2;
    edge_us = now_us + MS;
    pass(5);
    CHECK_EQUAL(tells, 0);
    pass(1);
    CHECK_EQUAL(tells, 1);
    CHECK_EQUAL(told[0].kind, MSG_KEY);
    CHECK_EQUAL(told[0].key, 3);
    CHECK_EQUAL(told[0].time_us, edge_us);
    CHECK_EQUAL(state.presses[2], 1);
    contacts.keys = 0;
    pass(6);
    CHECK_EQUAL(tells, 2);
    CHECK_EQUAL(state.keys, 0);
    CHECK_EQUAL(state.presses[2], 1);
}

static void a_bouncing_key_is_pressed_once(void)
{
    unsigned i;

    begin();
    settle();
    for (i = 0; i < 40; i++) { /* never five milliseconds of the same */
        contacts.keys = i & 1;
        pass(1 + i % 5);
    }
    CHECK_EQUAL(tells, 0);
    contacts.keys = 1;
    pass(20);
    CHECK_EQUAL(tells, 1);
    CHECK_EQUAL(state.presses[0], 1);
}

static void keys_together_are_told_apart_in_their_order(void)
{
    begin();
    settle();
    contacts.keys = 1 << 7;
    pass(1);
    contacts.keys |= 1;
    pass(10);
    CHECK_EQUAL(tells, 2);
    CHECK_EQUAL(told[0].key, 8);
    CHECK_EQUAL(told[1].key, 1);
    CHECK_EQUAL((uint32_t)(told[1].time_us - told[0].time_us), MS);
}

static void no_button_and_two_are_reported_as_they_are(void)
{
    begin();
    settle();
    contacts.buttons = 1 << 4;
    pass(200);
    CHECK_EQUAL(state.buttons, 0);
    pass(1);
    CHECK_EQUAL(state.buttons, 1 << 4);
    contacts.buttons |= 1 << 10;
    pass(201);
    CHECK_EQUAL(state.buttons, 1 << 4 | 1 << 10);
    contacts.buttons = 0;
    pass(201);
    CHECK_EQUAL(state.buttons, 0);
    CHECK_EQUAL(tells, 3); /* both left at once: one change */
}

static void a_seat_is_unknown_until_it_has_settled(void)
{
    begin();
    contacts.seats = 1;
    pass(200);
    contacts.seats = 3; /* somebody sits down meanwhile */
    pass(102);
    CHECK_EQUAL(state.known & 1, 1);
    CHECK_EQUAL(state.occupied & 1, 1);
    CHECK_EQUAL(state.known & 2, 0);
    CHECK_EQUAL(state.known & 4, 4);
    pass(250);
    CHECK_EQUAL(state.known, 0x7FF);
    CHECK_EQUAL(state.occupied, 3);
}

static void threshold(uint8_t seat, uint8_t kind, uint16_t leave, uint16_t enter)
{
    const struct threshold one = {kind, leave, enter};

    inputs_set_threshold(&inputs, seat, &one);
}

static void an_open_contact_can_mean_occupied(void)
{
    begin();
    contacts.seats = 0x7FF;
    threshold(5, SEAT_OPEN_IS_OCCUPIED, 0, 0);
    threshold(6, SEAT_NONE, 0, 0);
    settle();
    CHECK_EQUAL(state.known, 0x7FF & ~(1 << 5));
    CHECK_EQUAL(state.occupied, 0x7FF & ~(1 << 5) & ~(1 << 4));
    contacts.seats = 0;
    pass(301);
    CHECK_EQUAL(state.occupied, 1 << 4);
    CHECK_EQUAL(inputs_contact_seats(&inputs), 0x7FF & ~(1 << 5));
}

static void an_analogue_seat_has_hysteresis(void)
{
    uint32_t edge_us;

    begin();
    threshold(1, SEAT_HIGH_IS_OCCUPIED, 300, 500);
    threshold(2, SEAT_LOW_IS_OCCUPIED, 500, 300);
    counts[0] = counts[1] = 400; /* neither: nobody knows */
    settle();
    CHECK_EQUAL(state.known, 0x7FF & ~3);
    counts[0] = 100;
    counts[1] = 700;
    settle();
    CHECK_EQUAL(state.known, 0x7FF);
    CHECK_EQUAL(state.occupied, 0);
    while (ms % ANALOG_EVERY_MS)
        pass(1);
    counts[0] = 500;
    counts[1] = 300;
    edge_us = now_us + MS;
    pass(400);
    CHECK_EQUAL(state.occupied, 3);
    CHECK_EQUAL(told[0].time_us, edge_us);
    counts[0] = 301;
    counts[1] = 499;
    settle();
    CHECK_EQUAL(state.occupied, 3);
    counts[0] = 300;
    counts[1] = 500;
    settle();
    CHECK_EQUAL(state.occupied, 0);
}

static void a_single_wild_reading_is_nothing(void)
{
    unsigned i;

    begin();
    threshold(1, SEAT_HIGH_IS_OCCUPIED, 300, 500);
    counts[0] = 100;
    settle();
    for (i = 0; i < 100; i++) {
        counts[0] = i % 3 == 1 ? 900 : 100;
        pass(ANALOG_EVERY_MS);
        CHECK_EQUAL(inputs.seats.moving & 1, 0);
    }
    CHECK_EQUAL(state.occupied, 0);
}

static void a_cut_sensor_is_not_an_empty_seat(void)
{
    begin();
    threshold(3, SEAT_HIGH_IS_OCCUPIED, 300, 500);
    counts[2] = 800;
    settle();
    CHECK_EQUAL(state.occupied, 1 << 2);
    counts[2] = 1023;
    pass(1900);
    CHECK_EQUAL(inputs.cut, 0);
    pass(200);
    CHECK_EQUAL(inputs.cut, 1 << 2);
    CHECK_EQUAL(state.occupied, 0);
    CHECK_EQUAL(state.known, 0x7FF & ~(1 << 2));
    counts[2] = 100;
    pass(20);
    CHECK_EQUAL(inputs.cut, 0);
    CHECK_EQUAL(state.known, 0x7FF & ~(1 << 2));
    pass(320);
    CHECK_EQUAL(state.known, 0x7FF);
    CHECK_EQUAL(state.occupied, 0);
}

static void a_new_hold_time_counts_at_once(void)
{
    const struct settings slow = {50, 1000, 2000, 0};

    begin();
    settle();
    inputs_set(&inputs, &slow);
    contacts.keys = 1;
    contacts.buttons = 1;
    contacts.seats = 1;
    pass(50);
    CHECK_EQUAL(tells, 0);
    pass(1);
    CHECK_EQUAL(tells, 1);
    pass(949);
    CHECK_EQUAL(tells, 1);
    pass(1);
    CHECK_EQUAL(tells, 2);
    pass(999);
    CHECK_EQUAL(tells, 2);
    pass(1);
    CHECK_EQUAL(tells, 3);
    CHECK_EQUAL(told[2].kind, MSG_SEATS);
    CHECK(told[0].time_us == told[1].time_us && told[1].time_us == told[2].time_us);
}

void test_inputs(void)
{
    a_press_counts_after_its_hold_time();
    a_bouncing_key_is_pressed_once();
    keys_together_are_told_apart_in_their_order();
    no_button_and_two_are_reported_as_they_are();
    a_seat_is_unknown_until_it_has_settled();
    an_open_contact_can_mean_occupied();
    an_analogue_seat_has_hysteresis();
    a_single_wild_reading_is_nothing();
    a_cut_sensor_is_not_an_empty_seat();
    a_new_hold_time_counts_at_once();
}
