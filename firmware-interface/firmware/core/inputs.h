/* Keys, button sensors and seat sensors: from contacts and ADC counts to settled states (PROTOCOL.md,
 * "Debouncing"). */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"
#include "table.h"

#define ANALOG_EVERY_MS 5
#define SEAT_CUT_AFTER_MS 2000

#define DEBOUNCED_MAX 11

/* Up to DEBOUNCED_MAX bits that are debounced alike. */
struct debounced {
    uint16_t stable;
    uint16_t moving; /* bits that read otherwise since `edge_us` */
    uint16_t held_ms[DEBOUNCED_MAX];
    uint32_t edge_us[DEBOUNCED_MAX];
};

/* Contacts as they are now: a set bit is a closed contact. */
struct contacts {
    uint8_t keys;
    uint16_t buttons;
    uint16_t seats;
};

struct seat_sensor {
    uint16_t counts[3]; /* the last ones, newest first */
    uint8_t seen;       /* how many of them there are */
    uint16_t cut_ms;    /* how long it has read 0 or ADC_HIGHEST */
};

struct inputs {
    struct settings settings;
    struct threshold threshold[SEATS];
    struct debounced keys, buttons, seats;
    struct seat_sensor sensor[SEATS];
    uint16_t analog;      /* what the analogue seats read: bit set for occupied */
    uint16_t undecided;   /* seats that have not shown yet which of the two they are */
    uint16_t unsettled;   /* seats that have not read the same for a whole hold time yet */
    uint16_t settling_ms[SEATS];
    uint16_t cut;
};

/* One settled change: which bits of the state turn over, and when they did. */
struct change {
    uint8_t kind; /* MSG_SEATS, MSG_BUTTONS, MSG_KEY; 0: there is none */
    uint8_t key;  /* MSG_KEY: 1 to 8 */
    uint16_t bits;
    uint16_t known; /* MSG_SEATS: bits of the known mask */
    uint32_t time_us;
};

/* Default settings; every seat a contact that is closed while somebody sits. */
void inputs_init(struct inputs *inputs);

/* The board starts: keys and buttons are what they read, in `state` too; no seat is known yet. Call it when
 * settings and thresholds have been filled in. */
void inputs_begin(struct inputs *inputs, const struct contacts *contacts,
                  struct table_state *state);

void inputs_set(struct inputs *inputs, const struct settings *settings);
void inputs_set_threshold(struct inputs *inputs, uint8_t seat, const struct threshold *threshold);

/* Seats whose sensors are contacts and want a pull-up. */
uint16_t inputs_contact_seats(const struct inputs *inputs);

/* Whether any seat has an analogue sensor. */
bool inputs_have_analogue_seats(const struct inputs *inputs);

/* New ADC counts of all seats, every ANALOG_EVERY_MS. */
void inputs_take_analog(struct inputs *inputs, const uint16_t counts[SEATS]);

/* A reading of all contacts, every millisecond. Then ask `inputs_change` until it has no more. */
void inputs_take(struct inputs *inputs, const struct contacts *contacts, uint32_t now_us);

/* The earliest change that lies between `state` and what has settled. */
struct change inputs_change(const struct inputs *inputs, const struct table_state *state,
                            uint32_t now_us);

void change_apply(struct table_state *state, const struct change *change);

#endif
