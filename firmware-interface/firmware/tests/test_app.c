#include "app.h"
#include "bytes.h"
#include "host.h"
#include "testing.h"

#define S 0x55AA

static struct app app;
static struct host host;
static uint8_t seq;

static void pass(unsigned ms)
{
    unsigned turns = ms * 4;

    while (turns--) {
        fake.now_us += 250;
        app_step(&app);
        host_hear(&host, fake.out, fake.out_count);
        fake.out_count = 0;
    }
}

static void say(uint8_t kind, const void *body, uint8_t length)
{
    const bool numbered = kind >= MSG_SNAPSHOT_PLEASE && kind < MSG_ACK;

    if (numbered)
        seq++;
    if (fake.in_at == fake.in_count)
        fake.in_at = fake.in_count = 0;
    fake.in_count += host_frame(fake.in + fake.in_count, kind, S, numbered ? seq : 0,
                                app.link.last_seq, body, length);
    pass(3);
}

static void boot(void)
{
    memset(&app, 0xEE, sizeof app);
    app_init(&app);
    host_begin(&host);
    seq = 0;
}

static void begin(void)
{
    fake_reset();
    boot();
    pass(400);
    host_begin(&host);
    say(MSG_HELLO, "BT\1\1", 4);
    say(MSG_ACK, "", 0);
}

static void a_session_begins_with_everything_that_is(void)
{
    fake_reset();
    fake.contacts.seats = 1 << 3;
    fake.contacts.buttons = 1 << 1 | 1 << 8;
    fake.contacts.keys = 1;
    boot();
    pass(400);
    say(MSG_HELLO, "BT\1\1", 4);
    CHECK_EQUAL(host_count(&host, MSG_IDENTITY), 1);
    CHECK(!memcmp(host_last(&host, MSG_IDENTITY)->body + 22, "\13\13\10\13\40\10", 6));
    CHECK_EQUAL(get_u16(host_last(&host, MSG_IDENTITY)->body + 28), BOARD_THERE | LAMPS_THERE);
    CHECK(host_last(&host, MSG_SNAPSHOT));
    CHECK_EQUAL(get_u16(host_last(&host, MSG_SNAPSHOT)->body + 7), 1 << 3);
    CHECK_EQUAL(get_u16(host_last(&host, MSG_SNAPSHOT)->body + 9), 0x7FF);
    CHECK_EQUAL(get_u16(host_last(&host, MSG_SNAPSHOT)->body + 11), 1 << 1 | 1 << 8);
    CHECK_EQUAL(get_u16(host_last(&host, MSG_SNAPSHOT)->body + 13), 1);
    CHECK_EQUAL(host_last(&host, MSG_SNAPSHOT)->body[17], 0); /* held since before: no press */
    say(MSG_ACK, "", 0);
    CHECK_EQUAL(host_count(&host, MSG_KEY), 0);
    CHECK_EQUAL(host_count(&host, MSG_BUTTONS), 0);
}

static void a_press_is_told_at_once(void)
{
    begin();
    fake.contacts.keys = 1 << 5;
    pass(7);
    CHECK(host_last(&host, MSG_KEY));
    CHECK(!memcmp(host_last(&host, MSG_KEY)->body + 4, "\6\1\1", 3));
}

static void settings_hold_and_are_kept(void)
{
    begin();
    say(MSG_SETTINGS, "\62\x64\0\xC8\0\x20", 6);
    say(MSG_THRESHOLD, "\2\3\x64\0\xF4\1", 6);
    CHECK_EQUAL(app.inputs.settings.key_hold_ms, 50);
    CHECK_EQUAL(fake.pulled_up, 0x7FF & ~2);
    say(MSG_KEEP, "\1", 1);
    pass(100);
    CHECK(!memcmp(host_last(&host, MSG_KEPT)->body, "\1\0", 2));
    say(MSG_KEEP, "\2TABLE-9\0\0\0\0\0\0\0\0", 17);
    pass(100);
    CHECK(!memcmp(host_last(&host, MSG_KEPT)->body, "\2\0", 2));
    boot();
    CHECK_EQUAL(app.inputs.settings.key_hold_ms, 50);
    CHECK_EQUAL(app.lamps.brightness, 32);
    CHECK_EQUAL(app.inputs.threshold[1].enter, 500);
    CHECK_EQUAL(fake.pulled_up, 0x7FF & ~2);
    say(MSG_HELLO, "BT\1\1", 4);
    CHECK(!memcmp(host_last(&host, MSG_IDENTITY)->body + 6, "TABLE-9\0", 8));
    CHECK_EQUAL(get_u16(host_last(&host, MSG_IDENTITY)->body + 28),
                SEATS_ANALOGUE | BOARD_THERE | LAMPS_THERE | THRESHOLDS_KEPT | SERIAL_NUMBER_KEPT);
}

static void damage_to_the_memory_is_told(void)
{
    begin();
    say(MSG_KEEP, "\1", 1);
    pass(100);
    fake.memory[20] ^= 1;
    boot();
    say(MSG_HELLO, "BT\1\1", 4);
    CHECK_EQUAL(get_u16(host_last(&host, MSG_SNAPSHOT)->body + 15), BOTH_COPIES_DAMAGED);
}

static void a_watchdog_restart_is_told(void)
{
    fake_reset();
    fake.reset_cause = WATCHDOG;
    boot();
    pass(5);
    CHECK_EQUAL(host_last(&host, MSG_BOOTED)->body[5], WATCHDOG);
    say(MSG_HELLO, "BT\1\1", 4);
    CHECK_EQUAL(get_u16(host_last(&host, MSG_SNAPSHOT)->body + 15), WATCHDOG_RESTART);
}

static void bytes_lost_on_the_line_are_told_for_ten_seconds(void)
{
    unsigned i;

    begin();
    fake.lost = 3;
    pass(2);
    CHECK_EQUAL(get_u16(host_last(&host, MSG_FAULT)->body + 4), BYTES_LOST);
    say(MSG_ACK, "", 0);
    host_begin(&host);
    for (i = 0; i < 95; i++) {
        pass(100);
        say(MSG_PING, "abcd", 4);
        CHECK(!host_last(&host, MSG_FAULT));
        host_begin(&host);
    }
    pass(1000);
    CHECK(host_last(&host, MSG_FAULT));
    CHECK_EQUAL(get_u16(host_last(&host, MSG_FAULT)->body + 4), 0);
}

static void lamps_and_board_go_dark_with_a_new_session(void)
{
    uint8_t pixels[1 + BOARD_BYTES];

    begin();
    memset(pixels, 5, sizeof pixels);
    say(MSG_SETTINGS, "\5\xC8\0\x2C\1\xFF", 6);
    say(MSG_LAMPS, "\1\1\2\3\0", 5);
    say(MSG_PIXELS, pixels, sizeof pixels);
    CHECK(!memcmp(fake.lamps, "\2\1\3", 3));
    CHECK_EQUAL(app.board.pixels[0], 5);
    say(MSG_ANALOG_PLEASE, "\24\0", 2);
    host_begin(&host);
    pass(101);
    CHECK_EQUAL(host_count(&host, MSG_ANALOG), 5);
    fake.in_count = fake.in_at = 0;
    fake.in_count = host_frame(fake.in, MSG_HELLO, 99, 0, 0, "BT\1\1", 4);
    pass(3);
    CHECK(!memcmp(fake.lamps, "\0\0\0", 3));
    CHECK_EQUAL(app.board.pixels[0], 0);
    host_begin(&host);
    pass(15);
    CHECK_EQUAL(host_count(&host, MSG_ANALOG), 0);
}

static void a_lost_controller_shows_at_once_and_goes_at_once(void)
{
    begin();
    say(MSG_SETTINGS, "\5\xC8\0\x2C\1\xFF", 6);
    say(MSG_LAMPS, "\2\1\2\3\0", 5);
    pass(1501);
    CHECK(!memcmp(fake.lamps + 3, "\0\0\0", 3));
    CHECK(app.board.controller_lost);
    CHECK(!fake.signal);
    say(MSG_PING, "abcd", 4);
    CHECK(!memcmp(fake.lamps, "\0\0\0\2\1\3", 6));
    CHECK(!app.board.controller_lost);
    CHECK(fake.signal);
}

static void the_watchdog_is_kicked_only_while_all_is_well(void)
{
    begin();
    fake.kicks = 0;
    pass(100);
    CHECK_EQUAL(fake.kicks, 100);
    fake.analog_dead = true;
    pass(ANALOG_DEAD_MS + 10);
    fake.kicks = 0;
    pass(100);
    CHECK_EQUAL(fake.kicks, 0);
}

static void a_clock_that_stands_still_gets_no_kick(void)
{
    unsigned i;

    begin();
    for (i = 0; i < 10000; i++) { /* goes round within a millisecond, for its interrupt is off */
        fake.now_us += i % 4 == 3 ? (uint32_t)-900 : 300;
        if (i == 8)
            fake.kicks = 0;
        app_step(&app);
    }
    CHECK_EQUAL(fake.kicks, 0);
}

static void any_bytes_at_all_do_no_harm(void)
{
    uint32_t random = 12345, i;

    begin();
    for (i = 0; i < 200000; i++) {
        random = random * 1664525 + 1013904223;
        if (fake.in_at == fake.in_count)
            fake.in_at = fake.in_count = 0;
        fake.in[fake.in_count++] = (uint8_t)(random >> 24 & (random >> 16 & 1 ? 0xFF : 3));
        if (i % 16 == 0) {
            fake.now_us += 250;
            app_step(&app);
            fake.out_count = 0;
        }
    }
    CHECK_EQUAL(app.link.session, S);
    CHECK(app.link.counts.bad > 1000);
    CHECK_EQUAL(app.state.presses[0], 0);
}

void test_app(void)
{
    a_session_begins_with_everything_that_is();
    a_press_is_told_at_once();
    settings_hold_and_are_kept();
    damage_to_the_memory_is_told();
    a_watchdog_restart_is_told();
    bytes_lost_on_the_line_are_told_for_ten_seconds();
    lamps_and_board_go_dark_with_a_new_session();
    a_lost_controller_shows_at_once_and_goes_at_once();
    the_watchdog_is_kicked_only_while_all_is_well();
    a_clock_that_stands_still_gets_no_kick();
    any_bytes_at_all_do_no_harm();
}
