#include "store.h"

#include <string.h>

#include "bytes.h"
#include "frame.h"
#include "hal.h"

#define LAYOUT 1
#define GENERATION_AT 1
#define KEPT_AT 3
#define SERIAL_NUMBER_AT 4
#define SETTINGS_AT (SERIAL_NUMBER_AT + SERIAL_NUMBER_BYTES)
#define THRESHOLDS_AT (SETTINGS_AT + SETTINGS_BYTES)
#define THRESHOLD_RECORD_BYTES 5
#define ERASED 0xFF

enum copy_state { COPY_GOOD, COPY_BLANK, COPY_DAMAGED };

static uint16_t address(uint8_t copy, uint8_t at)
{
    return (uint16_t)(copy * STORE_COPY_B + at);
}

static void read_copy(uint8_t copy, uint8_t record[STORE_BYTES])
{
    uint8_t at;

    for (at = 0; at < STORE_BYTES; at++)
        record[at] = hal_memory_read(address(copy, at));
}

static bool is_blank(const uint8_t record[STORE_BYTES])
{
    uint8_t at;

    for (at = 0; at < STORE_BYTES; at++)
        if (record[at] != ERASED)
            return false;
    return true;
}

static enum copy_state judge(const uint8_t record[STORE_BYTES])
{
    if (record[0] == LAYOUT && crc32(0, record, STORE_CRC_AT) == get_u32(record + STORE_CRC_AT))
        return COPY_GOOD;
    return is_blank(record) ? COPY_BLANK : COPY_DAMAGED;
}

static void begin_write(struct store *store)
{
    store->phase = STORE_WRITING;
    store->at = 0;
}

static void seal(struct store *store)
{
    put_u32(store->record + STORE_CRC_AT, crc32(0, store->record, STORE_CRC_AT));
}

/* The good copy's record is in `store->record`; the other one gets the same. */
static void heal(struct store *store)
{
    store->copy ^= 1;
    begin_write(store);
}

static void take_over(const struct store *store, struct settings *settings,
                      struct threshold *thresholds)
{
    const uint8_t *at = store->record + THRESHOLDS_AT;
    uint8_t seat;

    if (!(store_kept(store) & KEPT_SETTINGS))
        return;
    *settings = settings_read(store->record + SETTINGS_AT);
    for (seat = 0; seat < SEATS; seat++, at += THRESHOLD_RECORD_BYTES)
        thresholds[seat] = threshold_read(at);
}

static void start_blank(struct store *store)
{
    memset(store->record, 0, sizeof store->record);
    store->record[0] = LAYOUT;
    store->copy = 1; /* so that A is written first */
}

/* Reads both copies; gives what is wrong with each. The newer good one is left in `record`. */
static void choose(struct store *store, enum copy_state found[2])
{
    uint8_t other[STORE_BYTES];

    read_copy(0, store->record);
    read_copy(1, other);
    found[0] = judge(store->record);
    found[1] = judge(other);
    store->copy = 0;
    if (found[1] != COPY_GOOD)
        return;
    if (found[0] == COPY_GOOD && (int16_t)(get_u16(other + GENERATION_AT) -
                                           get_u16(store->record + GENERATION_AT)) <= 0)
        return;
    memcpy(store->record, other, sizeof other);
    store->copy = 1;
}

void store_init(struct store *store, struct settings *settings, struct threshold *thresholds)
{
    enum copy_state found[2];
    bool any_good, any_damaged;

    memset(store, 0, sizeof *store);
    store->settings = settings;
    store->thresholds = thresholds;
    choose(store, found);
    any_good = found[0] == COPY_GOOD || found[1] == COPY_GOOD;
    any_damaged = found[0] == COPY_DAMAGED || found[1] == COPY_DAMAGED;
    if (!any_good) {
        start_blank(store);
        store->faults = any_damaged ? BOTH_COPIES_DAMAGED : 0;
        return;
    }
    take_over(store, settings, thresholds);
    if (!any_damaged)
        return;
    store->faults = found[0] == COPY_DAMAGED ? COPY_A_DAMAGED : COPY_B_DAMAGED;
    heal(store);
}

uint8_t store_kept(const struct store *store)
{
    return store->record[KEPT_AT];
}

const uint8_t *store_serial_number(const struct store *store)
{
    return store->record + SERIAL_NUMBER_AT;
}

void store_keep_settings(struct store *store)
{
    store->waiting |= KEEP_SETTINGS;
}

void store_keep_serial_number(struct store *store, const uint8_t serial_number[SERIAL_NUMBER_BYTES])
{
    store->waiting |= KEEP_SERIAL_NUMBER;
    memcpy(store->next_serial_number, serial_number, SERIAL_NUMBER_BYTES);
}

static void compose(struct store *store)
{
    uint8_t *at = settings_write(store->record + SETTINGS_AT, store->settings);
    uint8_t seat;

    for (seat = 0; seat < SEATS; seat++)
        at = threshold_write(at, &store->thresholds[seat]);
}

static void begin_keeping(struct store *store)
{
    store->writing = store->waiting;
    store->waiting = 0;
    if (store->writing & KEEP_SETTINGS)
        compose(store);
    if (store->writing & KEEP_SERIAL_NUMBER)
        memcpy(store->record + SERIAL_NUMBER_AT, store->next_serial_number, SERIAL_NUMBER_BYTES);
    store->record[KEPT_AT] |= store->writing;
    if (!store->record[SERIAL_NUMBER_AT])
        store->record[KEPT_AT] &= (uint8_t)~KEPT_SERIAL_NUMBER;
    put_u16(store->record + GENERATION_AT,
            (uint16_t)(get_u16(store->record + GENERATION_AT) + 1));
    seal(store);
    store->copy ^= 1;
    begin_write(store);
}

/* Bytes that are right already are not written again: it takes time and wears them out. */
static void write_one(struct store *store)
{
    while (store->at < STORE_BYTES) {
        const uint16_t where = address(store->copy, store->at);
        const uint8_t byte = store->record[store->at++];

        if (hal_memory_read(where) == byte)
            continue;
        hal_memory_write(where, byte);
        return;
    }
    store->phase = STORE_CHECKING;
}

static struct store_result finish(struct store *store)
{
    struct store_result result = {store->writing, true};
    uint8_t at;

    for (at = 0; at < STORE_BYTES; at++)
        if (hal_memory_read(address(store->copy, at)) != store->record[at])
            result.well = false;
    if (!result.well)
        store->copy ^= 1; /* so that the next write does not go to the copy that is whole */
    store->phase = STORE_IDLE;
    store->writing = 0;
    return result;
}

bool store_is_busy(const struct store *store)
{
    return store->phase != STORE_IDLE || store->waiting;
}

struct store_result store_step(struct store *store)
{
    struct store_result nothing = {0, false};

    if (!hal_memory_ready())
        return nothing;
    if (store->phase == STORE_WRITING)
        write_one(store);
    else if (store->phase == STORE_CHECKING)
        return finish(store);
    else if (store->waiting)
        begin_keeping(store);
    return nothing;
}
