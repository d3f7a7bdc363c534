#include "store.h"
#include "testing.h"

static struct settings settings;
static struct threshold thresholds[SEATS];

static void boot(struct store *store)
{
    memset(&settings, 0xAA, sizeof settings);
    memset(thresholds, 0, sizeof thresholds);
    store_init(store, &settings, thresholds);
}

static struct store_result write_out(struct store *store)
{
    struct store_result result = {0, false};
    unsigned steps;

    for (steps = 0; steps < 1000; steps++) {
        const struct store_result now = store_step(store);

        if (now.what)
            result = now;
        if (store->phase == STORE_IDLE && !store->waiting)
            break;
    }
    return result;
}

static struct store_result keep(struct store *store, uint8_t key_hold_ms)
{
    uint8_t seat;

    settings.key_hold_ms = key_hold_ms;
    settings.button_hold_ms = (uint16_t)(key_hold_ms * 10);
    settings.seat_hold_ms = (uint16_t)(key_hold_ms * 20);
    settings.lamp_brightness = (uint8_t)(200 - key_hold_ms);
    for (seat = 0; seat < SEATS; seat++) {
        thresholds[seat].kind = SEAT_HIGH_IS_OCCUPIED;
        thresholds[seat].leave = (uint16_t)(key_hold_ms + seat);
        thresholds[seat].enter = (uint16_t)(500 + key_hold_ms + seat);
    }
    store_keep_settings(store);
    return write_out(store);
}

/* Which KEEP the settings come from; 0 if they are nobody's. They are one KEEP's, all of them, or none's. */
static uint8_t kept_by(void)
{
    const uint8_t by = settings.key_hold_ms;
    uint8_t seat;

    if (by == 0xAA)
        return 0;
    CHECK_EQUAL(settings.button_hold_ms, by * 10);
    CHECK_EQUAL(settings.seat_hold_ms, by * 20);
    CHECK_EQUAL(settings.lamp_brightness, 200 - by);
    for (seat = 0; seat < SEATS; seat++) {
        CHECK_EQUAL(thresholds[seat].leave, by + seat);
        CHECK_EQUAL(thresholds[seat].enter, 500 + by + seat);
    }
    return by;
}

static void a_new_memory_is_blank_not_damaged(void)
{
    struct store store;

    fake_reset();
    boot(&store);
    CHECK_EQUAL(store.faults, 0);
    CHECK_EQUAL(store_kept(&store), 0);
    CHECK_EQUAL(kept_by(), 0);
}

static void what_was_kept_is_there_again(void)
{
    struct store store;
    unsigned i;

    fake_reset();
    for (i = 1; i < 100; i++) {
        struct store_result result;

        boot(&store);
        CHECK_EQUAL(kept_by(), i - 1);
        result = keep(&store, (uint8_t)i);
        CHECK(result.what == KEEP_SETTINGS && result.well);
    }
    boot(&store);
    CHECK_EQUAL(kept_by(), 99);
    CHECK_EQUAL(store.faults, 0);
}

static void the_serial_number_is_kept_apart(void)
{
    struct store store;
    struct store_result result;

    fake_reset();
    boot(&store);
    keep(&store, 7);
    settings.key_hold_ms = 99; /* changed since, and not kept */
    store_keep_serial_number(&store, (const uint8_t *)"TABLE-07\0\0\0\0\0\0\0");
    result = write_out(&store);
    CHECK(result.what == KEEP_SERIAL_NUMBER && result.well);
    boot(&store);
    CHECK_EQUAL(kept_by(), 7);
    CHECK(!memcmp(store_serial_number(&store), "TABLE-07\0\0\0\0\0\0\0\0", 16));
    CHECK_EQUAL(store_kept(&store), KEPT_SETTINGS | KEPT_SERIAL_NUMBER);
    store_keep_serial_number(&store, (const uint8_t *)"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    write_out(&store);
    boot(&store);
    CHECK_EQUAL(store_kept(&store), KEPT_SETTINGS);
}

/* The power goes at every single write of a KEEP: before it one finds the old record or the new one, whole. */
static void a_power_cut_leaves_one_good_copy(unsigned keeps_before)
{
    struct store store;
    uint8_t before[FAKE_MEMORY];
    uint32_t writes;
    unsigned i;

    fake_reset();
    boot(&store);
    for (i = 1; i <= keeps_before; i++)
        keep(&store, (uint8_t)i);
    memcpy(before, fake.memory, sizeof before);
    for (writes = 0;; writes++) {
        uint8_t found;

        memcpy(fake.memory, before, sizeof before);
        fake.cut = false;
        boot(&store);
        fake.writes_left = writes;
        keep(&store, (uint8_t)(keeps_before + 1));
        if (!fake.cut)
            break;
        fake.cut = false;
        fake.writes_left = UINT32_MAX;
        boot(&store);
        found = kept_by();
        CHECK(found == keeps_before || found == keeps_before + 1);
        if (found == keeps_before && keeps_before)
            CHECK(!(store.faults & BOTH_COPIES_DAMAGED));
        write_out(&store); /* mends itself */
        boot(&store);
        CHECK_EQUAL(kept_by(), found);
        CHECK_EQUAL(store.faults & (COPY_A_DAMAGED | COPY_B_DAMAGED), 0);
    }
    CHECK(writes > 20);
}

static void every_damaged_byte_is_noticed(void)
{
    struct store store;
    uint8_t whole[FAKE_MEMORY];
    unsigned at, copy;

    fake_reset();
    boot(&store);
    keep(&store, 1);
    keep(&store, 2); /* A holds 1, B holds 2 */
    memcpy(whole, fake.memory, sizeof whole);
    for (copy = 0; copy < 2; copy++) {
        for (at = 0; at < STORE_BYTES; at++) {
            memcpy(fake.memory, whole, sizeof whole);
            fake.memory[copy * STORE_COPY_B + at] ^= 0x10;
            boot(&store);
            CHECK_EQUAL(kept_by(), copy ? 1 : 2);
            CHECK_EQUAL(store.faults, copy ? COPY_B_DAMAGED : COPY_A_DAMAGED);
            fake.memory[(1 - copy) * STORE_COPY_B + at] ^= 0x10;
            boot(&store);
            CHECK_EQUAL(kept_by(), 0);
            CHECK_EQUAL(store.faults, BOTH_COPIES_DAMAGED);
        }
    }
}

static void a_worn_memory_is_told_of_and_loses_nothing(void)
{
    struct store store;
    unsigned i;

    fake_reset();
    boot(&store);
    keep(&store, 1);
    keep(&store, 2);
    fake.worn = true;
    for (i = 3; i < 6; i++) {
        const struct store_result result = keep(&store, (uint8_t)(i * 16));

        CHECK(result.what == KEEP_SETTINGS && !result.well);
    }
    fake.worn = false;
    boot(&store);
    CHECK_EQUAL(kept_by(), 2);
}

static void the_generation_may_wrap(void)
{
    struct store store;
    unsigned i;

    fake_reset();
    boot(&store);
    for (i = 0; i < 65536 + 10; i++) {
        settings.key_hold_ms = (uint8_t)i;
        store_keep_settings(&store);
        write_out(&store);
        if (i > 65525) {
            boot(&store);
            CHECK_EQUAL(settings.key_hold_ms, (uint8_t)i);
        }
    }
}

void test_store(void)
{
    a_new_memory_is_blank_not_damaged();
    what_was_kept_is_there_again();
    the_serial_number_is_kept_apart();
    a_power_cut_leaves_one_good_copy(0);
    a_power_cut_leaves_one_good_copy(1);
    a_power_cut_leaves_one_good_copy(2);
    a_power_cut_leaves_one_good_copy(3);
    every_damaged_byte_is_noticed();
    a_worn_memory_is_told_of_and_loses_nothing();
    the_generation_may_wrap();
}
