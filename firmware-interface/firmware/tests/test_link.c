#include "bytes.h"
#include "host.h"
#include "link.h"
#include "testing.h"

#define S 0x1234
#define MS 1000U

static struct link link_;
static struct host host;
static struct table_state state;
static uint32_t now_us;
static uint16_t unsent;
static unsigned taken;
static uint8_t last_taken;

static enum link_event say(uint8_t kind, uint16_t session, uint8_t seq, uint8_t ack,
                           const void *body, uint8_t length)
{
    uint8_t wire[FRAME_WIRE_MAX];
    const uint8_t count = host_frame(wire, kind, session, seq, ack, body, length);
    enum link_event event = LINK_NOTHING;
    uint8_t at;

    for (at = 0; at < count; at++) {
        const enum link_event now = link_take(&link_, wire[at], now_us);

        if (now != LINK_NOTHING)
            event = now;
    }
    if (event == LINK_MESSAGE) {
        taken++;
        last_taken = link_.message.kind;
    }
    return event;
}

static void hear(void)
{
    uint8_t wire[FRAME_WIRE_MAX], count;

    while ((count = link_next(&link_, now_us, unsent, wire)))
        host_hear(&host, wire, count);
}

static void pass(unsigned ms)
{
    while (ms--) {
        now_us += MS;
        link_tick(&link_, now_us);
        hear();
    }
}

static void forget(void)
{
    host_begin(&host);
    taken = 0;
}

static void boot(void)
{
    const uint8_t identity[IDENTITY_BYTES] = {1, 1, 1, 0, 0, POWER_ON};

    now_us = UINT32_MAX - 3 * MS;
    unsent = 0;
    memset(&state, 0, sizeof state);
    link_init(&link_, now_us, identity, &state);
    forget();
}

static enum link_event hello(uint16_t session)
{
    return say(MSG_HELLO, session, 0, 0, "BT\1\1", 4);
}

static void begin(void)
{
    boot();
    CHECK_EQUAL(hello(S), LINK_BEGUN);
    hear();
    forget();
}

static void change(uint8_t presses)
{
    uint8_t body[KEY_BYTES] = {0};

    body[KEY_BYTES - 1] = presses;
    link_send(&link_, MSG_KEY, body, KEY_BYTES, now_us);
}

static void without_a_session_it_says_booted(void)
{
    boot();
    pass(1);
    CHECK_EQUAL(host.count, 1);
    CHECK_EQUAL(host.got[0].frame.kind, MSG_BOOTED);
    CHECK_EQUAL(host.got[0].frame.session, 0);
    pass(1999);
    CHECK_EQUAL(host.count, 4);
    change(1);
    pass(10);
    CHECK_EQUAL(host_count(&host, MSG_KEY), 0);
}

static void hello_begins_a_session_once(void)
{
    boot();
    CHECK_EQUAL(hello(S), LINK_BEGUN);
    hear();
    CHECK_EQUAL(host.got[0].frame.kind, MSG_IDENTITY);
    CHECK_EQUAL(host.got[0].frame.session, S);
    CHECK_EQUAL(get_u16(host.got[0].body + 30), S);
    change(1);
    hear();
    CHECK_EQUAL(hello(S), LINK_NOTHING);
    hear();
    CHECK_EQUAL(host_count(&host, MSG_IDENTITY), 2);
    CHECK_EQUAL(link_.count, 1); /* still waits to be acknowledged */
    CHECK_EQUAL(hello(0x4321), LINK_BEGUN);
    forget();
    hear();
    CHECK_EQUAL(host.got[0].frame.session, 0x4321);
    CHECK_EQUAL(get_u16(host.got[0].body + 30), S); /* the first since the start */
    CHECK_EQUAL(link_.count, 0);
}

static void another_version_gets_identity_and_no_session(void)
{
    boot();
    CHECK_EQUAL(say(MSG_HELLO, S, 0, 0, "BT\2\11", 4), LINK_NOTHING);
    hear();
    CHECK_EQUAL(host_count(&host, MSG_IDENTITY), 1);
    CHECK_EQUAL(link_.session, 0);
    CHECK_EQUAL(say(MSG_HELLO, S, 0, 0, "BT\0\11", 4), LINK_BEGUN);
}

static void numbered_frames_are_taken_in_order(void)
{
    begin();
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, 1, 0, "", 0), LINK_MESSAGE);
    hear();
    CHECK_EQUAL(host_last(&host, MSG_ACK)->ack, 1);
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, 3, 0, "", 0), LINK_NOTHING); /* ahead */
    hear();
    CHECK_EQUAL(host_count(&host, MSG_AGAIN), 1);
    CHECK_EQUAL(host_last(&host, MSG_AGAIN)->ack, 1);
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, 1, 0, "", 0), LINK_NOTHING); /* seen */
    hear();
    CHECK_EQUAL(host_count(&host, MSG_ACK), 2);
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, 2, 0, "", 0), LINK_MESSAGE);
    CHECK_EQUAL(taken, 2);
}

static void numbers_wrap_past_zero(void)
{
    unsigned i;
    uint8_t seq = 1;

    begin();
    for (i = 0; i < 600; i++) {
        CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, seq, (uint8_t)(i % 255), "", 0), LINK_MESSAGE);
        change(seq);
        forget();
        hear();
        CHECK_EQUAL(host_last(&host, MSG_KEY)->seq, seq);
        CHECK_EQUAL(host_last(&host, MSG_KEY)->ack, seq);
        CHECK_EQUAL(say(MSG_ACK, S, 0, seq, "", 0), LINK_NOTHING);
        CHECK_EQUAL(link_.count, 0);
        seq = seq == 255 ? 1 : (uint8_t)(seq + 1);
    }
}

static void again_is_asked_for_at_most_once_in_five_ms(void)
{
    unsigned i;

    begin();
    for (i = 0; i < 100; i++) {
        link_take(&link_, 9, now_us);
        link_take(&link_, 0, now_us);
        hear();
        now_us += 100;
    }
    CHECK_EQUAL(host_count(&host, MSG_AGAIN), 2);
    CHECK_EQUAL(link_.counts.bad, 100);
}

static void what_is_not_acknowledged_is_sent_again_the_same(void)
{
    struct frame first;

    begin();
    change(7);
    hear();
    CHECK_EQUAL(host.count, 1);
    first = host.got[0].frame;
    pass(20);
    CHECK_EQUAL(host.count, 1); /* 20 ms after its last byte, not its first */
    pass(2);
    CHECK_EQUAL(host.count, 2);
    CHECK_EQUAL(host.got[1].frame.seq, first.seq);
    CHECK(!memcmp(host.got[1].body, host.got[0].body, KEY_BYTES));
    say(MSG_ACK, S, 0, first.seq, "", 0);
    forget();
    pass(100);
    CHECK_EQUAL(host.count, 0);
}

static void the_window_is_eight(void)
{
    unsigned i;

    begin();
    for (i = 1; i <= 12; i++)
        change((uint8_t)i);
    hear();
    CHECK_EQUAL(host.count, 8);
    forget();
    say(MSG_ACK, S, 0, 3, "", 0);
    hear();
    CHECK_EQUAL(host.count, 3);
    CHECK_EQUAL(host.got[0].frame.seq, 9);
    CHECK_EQUAL(host.got[2].body[KEY_BYTES - 1], 11);
    forget();
    now_us += 25 * MS; /* goes back: all that wait, in their order */
    link_tick(&link_, now_us);
    hear();
    CHECK_EQUAL(host.count, 8);
    CHECK_EQUAL(host.got[0].frame.seq, 4);
    CHECK_EQUAL(host.got[7].frame.seq, 11);
    say(MSG_ACK, S, 0, 200, "", 0); /* names nothing that waits */
    CHECK_EQUAL(link_.count, 9);
}

static void again_makes_it_go_back_once_the_frame_has_left(void)
{
    begin();
    unsent = 100;
    change(1);
    hear();
    say(MSG_AGAIN, S, 0, 0, "", 0); /* it is still on its way out */
    hear();
    CHECK_EQUAL(host.count, 1);
    now_us += 12 * MS;
    say(MSG_AGAIN, S, 0, 0, "", 0);
    hear();
    CHECK_EQUAL(host.count, 2);
    say(MSG_AGAIN, S, 0, 1, "", 0); /* its ack says that nothing waits */
    hear();
    CHECK_EQUAL(host.count, 2);
}

static void too_much_becomes_a_snapshot(void)
{
    const struct frame *gap;
    unsigned i;

    begin();
    for (i = 1; i <= 8; i++)
        change((uint8_t)i);
    hear();
    for (i = 9; i <= 24; i++)
        change((uint8_t)i);
    CHECK_EQUAL(link_.count, 24);
    state.presses[0] = 25;
    change(25); /* one too many */
    CHECK_EQUAL(link_.count, 9);
    for (i = 26; i <= 40; i++)
        change((uint8_t)i);
    state.presses[0] = 41;
    change(41); /* and again, the first gap among them */
    forget();
    say(MSG_ACK, S, 0, 8, "", 0);
    hear();
    CHECK_EQUAL(host.count, 1);
    gap = host_last(&host, MSG_SNAPSHOT);
    CHECK(gap);
    CHECK_EQUAL(gap->seq, 9);
    CHECK_EQUAL(gap->body[4], GAP);
    CHECK_EQUAL(get_u16(gap->body + 5), 33);
    CHECK_EQUAL(gap->body[17], 41);
}

static void malformed_frames_are_taken_and_refused(void)
{
    begin();
    CHECK_EQUAL(say(MSG_PIXELS, S, 1, 0, "\20", 1), LINK_NOTHING);
    hear();
    CHECK(!memcmp(host_last(&host, MSG_REFUSED)->body, "\5\2\1", 3));
    CHECK_EQUAL(host_last(&host, MSG_REFUSED)->ack, 1);
    CHECK_EQUAL(say(0x77, S, 2, 0, "", 0), LINK_NOTHING);
    hear();
    CHECK(!memcmp(host_last(&host, MSG_REFUSED)->body, "\x77\1\0", 3));
    CHECK_EQUAL(say(MSG_PING, S, 3, 0, "abcd", 4), LINK_NOTHING);
    hear();
    CHECK(!memcmp(host_last(&host, MSG_REFUSED)->body, "\2\3\0", 3));
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, 0, 0, "", 0), LINK_NOTHING); /* without its number */
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S, 4, 0, "", 0), LINK_MESSAGE);
    CHECK_EQUAL(link_.counts.malformed, 4);
}

static void strangers_are_not_listened_to(void)
{
    begin();
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, S + 1, 1, 0, "", 0), LINK_NOTHING);
    CHECK_EQUAL(say(MSG_SNAPSHOT_PLEASE, 0, 1, 0, "", 0), LINK_NOTHING);
    CHECK_EQUAL(say(MSG_HELLO, 0, 0, 0, "BT\1\1", 4), LINK_NOTHING);
    CHECK_EQUAL(say(MSG_HELLO, S + 1, 0, 0, "TB\1\1", 4), LINK_NOTHING);
    hear();
    CHECK_EQUAL(host.count, 0);
    CHECK_EQUAL(link_.session, S);
    boot();
    CHECK_EQUAL(say(MSG_PING, 0, 0, 0, "abcd", 4), LINK_NOTHING);
    hear();
    CHECK_EQUAL(host_count(&host, MSG_PONG), 0);
}

static void a_ping_is_answered_with_the_time(void)
{
    begin();
    say(MSG_PING, S, 0, 0, "abcd", 4);
    now_us += 77;
    hear();
    CHECK(!memcmp(host_last(&host, MSG_PONG)->body, "abcd", 4));
    CHECK_EQUAL(get_u32(host_last(&host, MSG_PONG)->body + 4), now_us);
}

static void a_silent_controller_is_lost_until_it_speaks(void)
{
    begin();
    pass(1499);
    CHECK(!link_.controller_lost);
    pass(1);
    CHECK(link_.controller_lost);
    say(MSG_PING, S + 1, 0, 0, "abcd", 4); /* another's */
    CHECK(link_.controller_lost);
    say(MSG_PING, S, 0, 0, "abcd", 4);
    CHECK(!link_.controller_lost);
    CHECK_EQUAL(link_.session, S);
    pass(1500);
    now_us += UINT32_MAX - 1000; /* the clock goes round: lost it stays */
    link_tick(&link_, now_us);
    CHECK(link_.controller_lost);
}

static void ten_seconds_without_acknowledgement_end_the_session(void)
{
    unsigned waited_ms;

    begin();
    change(1);
    hear();
    for (waited_ms = 0; link_.session && waited_ms < 20000; waited_ms += 10) {
        forget();
        pass(10);
    }
    CHECK_EQUAL(waited_ms, 10000);
    CHECK(host_count(&host, MSG_BOOTED) <= 1);
    forget();
    pass(600);
    CHECK(host_count(&host, MSG_BOOTED) >= 1);
    CHECK_EQUAL(host.count, host_count(&host, MSG_BOOTED));
    CHECK_EQUAL(hello(S), LINK_BEGUN); /* the number may be an old one */
}

void test_link(void)
{
    without_a_session_it_says_booted();
    hello_begins_a_session_once();
    another_version_gets_identity_and_no_session();
    numbered_frames_are_taken_in_order();
    numbers_wrap_past_zero();
    again_is_asked_for_at_most_once_in_five_ms();
    what_is_not_acknowledged_is_sent_again_the_same();
    the_window_is_eight();
    again_makes_it_go_back_once_the_frame_has_left();
    too_much_becomes_a_snapshot();
    malformed_frames_are_taken_and_refused();
    strangers_are_not_listened_to();
    a_ping_is_answered_with_the_time();
    a_silent_controller_is_lost_until_it_speaks();
    ten_seconds_without_acknowledgement_end_the_session();
}
