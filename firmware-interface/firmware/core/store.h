/* What the board keeps without power: settings, thresholds, serial number.
 *
 * Two copies in the EEPROM, each with a generation number and a CRC. A write goes to the copy that is
 * not in use, a byte at a time, without waiting; if the power is cut at any byte, the other one is whole. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

/* layout, generation u16, what is kept, serial number, settings, thresholds, CRC-32 of all that */
#define STORE_CRC_AT (4 + SERIAL_NUMBER_BYTES + SETTINGS_BYTES + 5 * SEATS)
#define STORE_BYTES (STORE_CRC_AT + 4)
#define STORE_COPY_B 256 /* where copy B lies; copy A lies at 0 */

enum kept { KEPT_SETTINGS = 1, KEPT_SERIAL_NUMBER = 2 };

enum store_phase { STORE_IDLE, STORE_WRITING, STORE_CHECKING };

struct store {
    uint8_t record[STORE_BYTES]; /* as it is, or is about to be, in the copy in use */
    uint16_t faults;             /* COPY_A_DAMAGED and its like, as found at the start */
    uint8_t copy;                /* the copy in use: 0 or 1 */
    uint8_t phase;
    uint8_t at;
    uint8_t writing; /* what is being written for the host: bits of enum keep; 0 while healing */
    uint8_t waiting; /* what it has asked for since */
    uint8_t next_serial_number[SERIAL_NUMBER_BYTES];
    const struct settings *settings;
    const struct threshold *thresholds;
};

/* What came of a KEEP: bits of enum keep, `well` if the memory holds it now. */
struct store_result {
    uint8_t what;
    bool well;
};

/* Reads the memory. `settings` and `thresholds` (one a seat) are filled with what is kept and left alone
 * otherwise; the store reads them again whenever it is to keep them. */
void store_init(struct store *store, struct settings *settings, struct threshold *thresholds);

uint8_t store_kept(const struct store *store); /* bits of enum kept */
const uint8_t *store_serial_number(const struct store *store);

void store_keep_settings(struct store *store);
void store_keep_serial_number(struct store *store, const uint8_t serial_number[SERIAL_NUMBER_BYTES]);

/* Whether there is anything to be written or checked. */
bool store_is_busy(const struct store *store);

/* Goes on with a write if the memory is ready. */
struct store_result store_step(struct store *store);

#endif
