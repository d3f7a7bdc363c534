/* The firmware's main business: joins link, inputs, lamps, LED board and memory over a `hal.h`. */
#ifndef APP_H
#define APP_H

#include "board.h"
#include "inputs.h"
#include "lamps.h"
#include "link.h"
#include "store.h"

#define TICK_US UINT32_C(1000)
#define LAMPS_AGAIN_MS 500
#define LINE_LOSS_SHOWN_MS 10000
#define ANALOG_DEAD_MS 200

struct app {
    struct table_state state;
    struct inputs inputs;
    struct link link;
    struct store store;
    struct lamps lamps;
    struct board board;

    uint32_t tick_us;
    uint16_t phase_ms;         /* where all patterns are in their period */
    uint16_t lamps_again_ms;   /* until the lamps are told again */
    bool lamps_due;
    uint16_t analog_in_ms;     /* until the next round of the ADC */
    uint16_t analog_silent_ms; /* since the last one ended */
    uint16_t counts[SEATS];    /* the last round */
    uint16_t analog_period_ms; /* of ANALOG; 0: the host wants none */
    uint16_t analog_due_ms;
    uint16_t line_loss_ms; /* how long the fault is still shown */
    uint16_t fixed_faults; /* found at the start */
    uint8_t wire[FRAME_WIRE_MAX];
};

void app_init(struct app *app);

/* One turn of the main loop: takes what has come, does what is due, never waits. False if there was nothing
 * to do: then there is nothing before the next interrupt, either. */
bool app_step(struct app *app);

#endif
