#include "app.h"

#include <string.h>

#include "bytes.h"
#include "hal.h"

/* A frame is begun only while no more than this is still to be sent (2 ms of line), so that a key press
 * never waits behind more than one long frame. */
#define LINE_QUEUE_MAX 22

static uint16_t identity_flags(const struct app *app)
{
    const uint8_t kept = store_kept(&app->store);
    uint16_t flags = BOARD_THERE | LAMPS_THERE;

    if (inputs_have_analogue_seats(&app->inputs))
        flags |= SEATS_ANALOGUE;
    if (kept & KEPT_SETTINGS)
        flags |= THRESHOLDS_KEPT;
    if (kept & KEPT_SERIAL_NUMBER)
        flags |= SERIAL_NUMBER_KEPT;
    return flags;
}

static void write_identity(const struct app *app, uint8_t *at)
{
    static const uint8_t version[] = {PROTOCOL_LOWEST, PROTOCOL_HIGHEST, FIRMWARE_MAJOR,
                                      FIRMWARE_MINOR, FIRMWARE_PATCH};
    static const uint8_t has[] = {SEATS, BUTTON_SENSORS, KEYS, LAMPS, BOARD_COLUMNS, BOARD_ROWS};

    memcpy(at, version, sizeof version);
    at = put_u8(at + sizeof version, hal_reset_cause());
    memcpy(at, store_serial_number(&app->store), SERIAL_NUMBER_BYTES);
    at += SERIAL_NUMBER_BYTES;
    memcpy(at, has, sizeof has);
    put_u16(at + sizeof has, identity_flags(app));
}

void app_init(struct app *app)
{
    uint8_t identity[IDENTITY_BYTES] = {0};
    struct contacts contacts;

    memset(app, 0, sizeof *app);
    inputs_init(&app->inputs);
    store_init(&app->store, &app->inputs.settings, app->inputs.threshold);
    hal_pull_up_seats(inputs_contact_seats(&app->inputs));
    contacts = hal_contacts();
    inputs_begin(&app->inputs, &contacts, &app->state);
    app->lamps.brightness = app->inputs.settings.lamp_brightness;
    board_init(&app->board);
    app->fixed_faults = app->store.faults;
    if (hal_reset_cause() & WATCHDOG)
        app->fixed_faults |= WATCHDOG_RESTART;
    app->state.faults = app->fixed_faults;
    write_identity(app, identity);
    link_init(&app->link, hal_now_us(), identity, &app->state);
    app->tick_us = hal_now_us();
    app->tick_us -= app->tick_us % TICK_US; /* when the clock's own interrupt comes */
    app->lamps_due = true;
}

/* What the host says. */

static void send_snapshot(struct app *app, enum snapshot_reason reason, uint32_t now_us)
{
    uint8_t body[SNAPSHOT_BYTES];

    link_send(&app->link, MSG_SNAPSHOT, body, snapshot_write(body, now_us, reason, 0, &app->state),
              now_us);
}

static void begin_session(struct app *app, uint32_t now_us)
{
    lamps_darken(&app->lamps);
    app->lamps_due = true;
    board_darken(&app->board);
    app->analog_period_ms = 0;
    send_snapshot(app, AT_START, now_us);
}

static void take_settings(struct app *app, const uint8_t *body)
{
    const struct settings settings = settings_read(body);

    inputs_set(&app->inputs, &settings);
    app->lamps.brightness = settings.lamp_brightness;
    app->lamps_due = true;
}

static void take_threshold(struct app *app, const uint8_t *body)
{
    const struct threshold threshold = threshold_read(body + 1);

    inputs_set_threshold(&app->inputs, body[0], &threshold);
    hal_pull_up_seats(inputs_contact_seats(&app->inputs));
    write_identity(app, app->link.identity);
}

static void take_keep(struct app *app, const uint8_t *body)
{
    if (body[0] == KEEP_SETTINGS)
        store_keep_settings(&app->store);
    else
        store_keep_serial_number(&app->store, body + 1);
}

static void take_message(struct app *app, const struct frame *message, uint32_t now_us)
{
    switch (message->kind) {
    case MSG_SNAPSHOT_PLEASE:
        send_snapshot(app, ASKED_FOR, now_us);
        break;
    case MSG_LAMPS:
        lamps_take(&app->lamps, message->body, message->length);
        app->lamps_due = true;
        break;
    case MSG_PIXELS:
        board_take(&app->board, message->body);
        break;
    case MSG_SETTINGS:
        take_settings(app, message->body);
        break;
    case MSG_THRESHOLD:
        take_threshold(app, message->body);
        break;
    case MSG_KEEP:
        take_keep(app, message->body);
        break;
    default: /* ANALOG_PLEASE; the link lets nothing else through */
        app->analog_period_ms = get_u16(message->body);
        app->analog_due_ms = app->analog_period_ms;
    }
}

static bool take_line(struct app *app, uint32_t now_us)
{
    bool any = false;
    int16_t byte;

    while ((byte = hal_line_read()) >= 0) {
        any = true;
        switch (link_take(&app->link, (uint8_t)byte, now_us)) {
        case LINK_BEGUN:
            begin_session(app, now_us);
            return true;
        case LINK_MESSAGE:
            take_message(app, &app->link.message, now_us);
            return true; /* the rest in the next turn: a turn must be short */
        case LINK_NOTHING:
            break;
        }
    }
    return any;
}

static bool give_line(struct app *app)
{
    const uint16_t unsent = hal_line_unsent();
    uint8_t length;

    if (unsent > LINE_QUEUE_MAX || hal_line_room() < FRAME_WIRE_MAX)
        return false;
    length = link_next(&app->link, hal_now_us(), unsent, app->wire);
    if (length)
        hal_line_write(app->wire, length);
    return length != 0;
}

/* What is due every millisecond. */

static void tell_change(struct app *app, const struct change *change, uint32_t now_us)
{
    uint8_t body[SEATS_BYTES];
    uint8_t length;

    change_apply(&app->state, change);
    switch (change->kind) {
    case MSG_KEY:
        length = key_write(body, change->time_us, change->key, &app->state);
        break;
    case MSG_BUTTONS:
        length = buttons_write(body, change->time_us, &app->state);
        break;
    default:
        length = seats_write(body, change->time_us, &app->state);
    }
    link_send(&app->link, change->kind, body, length, now_us);
}

static void tick_inputs(struct app *app, uint32_t now_us)
{
    const struct contacts contacts = hal_contacts();
    struct change change;

    inputs_take(&app->inputs, &contacts, now_us);
    while ((change = inputs_change(&app->inputs, &app->state, now_us)).kind)
        tell_change(app, &change, now_us);
}

static void tick_faults(struct app *app, uint32_t now_us)
{
    uint16_t faults = app->fixed_faults;
    uint8_t body[FAULT_BYTES];

    if (hal_line_lost())
        app->line_loss_ms = LINE_LOSS_SHOWN_MS;
    else if (app->line_loss_ms)
        app->line_loss_ms--;
    if (app->line_loss_ms)
        faults |= BYTES_LOST;
    if (app->inputs.cut)
        faults |= SEAT_SENSOR_CUT;
    if (faults == app->state.faults)
        return;
    app->state.faults = faults;
    link_send(&app->link, MSG_FAULT, body, fault_write(body, now_us, &app->state), now_us);
}

static bool take_analog(struct app *app)
{
    if (!hal_analog_take(app->counts))
        return false;
    app->analog_silent_ms = 0;
    inputs_take_analog(&app->inputs, app->counts);
    return true;
}

static void tick_analog(struct app *app, uint32_t now_us)
{
    if (app->analog_silent_ms < ANALOG_DEAD_MS)
        app->analog_silent_ms++;
    if (app->analog_in_ms) {
        app->analog_in_ms--;
    } else {
        app->analog_in_ms = ANALOG_EVERY_MS - 1;
        hal_analog_start();
    }
    if (app->analog_period_ms && !--app->analog_due_ms) {
        uint8_t body[ANALOG_BYTES];
        uint8_t *at = put_u32(body, now_us);
        uint8_t seat;

        for (seat = 0; seat < SEATS; seat++)
            at = put_u16(at, app->counts[seat]);
        link_send_analog(&app->link, body);
        app->analog_due_ms = app->analog_period_ms;
    }
}

static void tick_lamps(struct app *app)
{
    uint8_t wire[LAMP_WIRE_BYTES];

    app->phase_ms = (uint16_t)((app->phase_ms + 1) % PATTERN_PERIOD_MS);
    if (app->lamps_again_ms)
        app->lamps_again_ms--;
    if (!app->lamps_due && app->lamps_again_ms && app->phase_ms % PATTERN_STEP_MS)
        return;
    app->lamps_due = false;
    app->lamps_again_ms = LAMPS_AGAIN_MS;
    lamps_render(&app->lamps, app->phase_ms, app->link.controller_lost, wire);
    hal_lamps(wire);
}

static void tick_controller(struct app *app, uint32_t now_us)
{
    link_tick(&app->link, now_us);
    if (app->link.controller_lost != app->board.controller_lost)
        app->lamps_due = true;
    board_controller_lost(&app->board, app->link.controller_lost);
    hal_signal(app->link.session ? !app->link.controller_lost
                                 : app->phase_ms % 250 < PATTERN_STEP_MS);
}

static void tick(struct app *app, uint32_t now_us)
{
    tick_inputs(app, now_us);
    tick_faults(app, now_us);
    tick_analog(app, now_us);
    tick_controller(app, now_us);
    board_tick(&app->board);
    tick_lamps(app);
    /* Only a board whose clock runs, whose main loop turns and whose ADC answers is well. */
    if (app->analog_silent_ms < ANALOG_DEAD_MS)
        hal_watchdog();
}

static bool step_board(struct app *app)
{
    uint8_t command[BOARD_COMMAND_BYTES];

    if (!hal_board_ready() || !board_next(&app->board, command))
        return false;
    hal_board_send(command);
    return true;
}

static bool step_store(struct app *app, uint32_t now_us)
{
    const struct store_result result = store_step(&app->store);
    uint8_t what;

    if (!result.what)
        return store_is_busy(&app->store) && hal_memory_ready();
    write_identity(app, app->link.identity);
    for (what = KEEP_SETTINGS; what <= KEEP_SERIAL_NUMBER; what++) {
        const uint8_t body[KEPT_BYTES] = {what, !result.well};

        if (result.what & what)
            link_send(&app->link, MSG_KEPT, body, sizeof body, now_us);
    }
    return true;
}

/* Signed: a clock that jumps back makes no ticks, and so brings the watchdog. */
static bool step_tick(struct app *app, uint32_t now_us)
{
    if ((int32_t)(now_us - app->tick_us) < (int32_t)TICK_US)
        return false;
    app->tick_us += TICK_US;
    tick(app, now_us);
    return true;
}

bool app_step(struct app *app)
{
    const uint32_t now_us = hal_now_us();
    bool busy = take_line(app, now_us);

    busy |= take_analog(app);
    busy |= step_store(app, now_us);
    busy |= step_board(app);
    busy |= step_tick(app, now_us);
    busy |= give_line(app);
    return busy;
}
