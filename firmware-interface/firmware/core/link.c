#include "link.h"

#include <string.h>

#include "bytes.h"

#define SEQ_HIGHEST 255
#define SINCE_AT (IDENTITY_BYTES - 2)
#define SNAPSHOT_REASON_AT 4
#define SNAPSHOT_LOST_AT 5

static bool has_passed(uint32_t now_us, uint32_t then_us)
{
    return (int32_t)(now_us - then_us) >= 0;
}

static uint8_t after(uint8_t seq)
{
    return seq == SEQ_HIGHEST ? 1 : (uint8_t)(seq + 1);
}

static struct outgoing *queued(struct link *link, uint8_t place)
{
    return &link->queue[(link->head + place) % LINK_QUEUE];
}

static void forget_everything_said(struct link *link)
{
    link->taken = link->taken_count = 0;
    link->head = link->count = link->numbered = link->sent = link->last_seq = 0;
    link->pong_due = link->ack_due = link->again_due = link->analog_due = false;
}

void link_init(struct link *link, uint32_t now_us, const uint8_t identity[IDENTITY_BYTES],
               const struct table_state *state)
{
    memset(link, 0, sizeof *link);
    frame_receiver_init(&link->receiver);
    link->state = state;
    memcpy(link->identity, identity, IDENTITY_BYTES);
    link->heard_us = now_us;
    link->booted_us = now_us; /* due at the first tick */
}

static bool speaks_our_version(const uint8_t *hello)
{
    return hello[2] <= PROTOCOL_HIGHEST && hello[3] >= PROTOCOL_LOWEST;
}

static void heard(struct link *link, uint32_t now_us)
{
    link->heard_us = now_us;
    link->controller_lost = false;
}

static enum link_event take_hello(struct link *link, const struct frame *frame, uint32_t now_us)
{
    link->identity_due = true;
    link->identity_session = frame->session;
    if (!speaks_our_version(frame->body))
        return LINK_NOTHING;
    heard(link, now_us);
    if (frame->session == link->session)
        return LINK_NOTHING;
    forget_everything_said(link);
    link->session = frame->session;
    if (!link->since)
        link->since = frame->session;
    link->booted_due = false;
    link->again_us = now_us - LINK_AGAIN_US;
    return LINK_BEGUN;
}

static void take_ack(struct link *link, uint8_t ack)
{
    uint8_t place;

    for (place = 0; place < link->numbered; place++)
        if (queued(link, place)->seq == ack)
            break;
    if (place == link->numbered)
        return;
    place++;
    link->head = (uint8_t)((link->head + place) % LINK_QUEUE);
    link->count = (uint8_t)(link->count - place);
    link->numbered = (uint8_t)(link->numbered - place);
    link->sent = link->sent > place ? (uint8_t)(link->sent - place) : 0;
}

static void go_back(struct link *link, uint32_t now_us)
{
    if (!link->sent || !has_passed(now_us, queued(link, 0)->out_us))
        return;
    link->sent = 0;
}

static void ask_again(struct link *link, uint32_t now_us)
{
    if (!link->session || now_us - link->again_us < LINK_AGAIN_US)
        return;
    link->again_us = now_us;
    link->again_due = true;
}

static bool was_seen(const struct link *link, uint8_t seq)
{
    uint8_t behind = seq <= link->taken ? (uint8_t)(link->taken - seq)
                                        : (uint8_t)(link->taken + SEQ_HIGHEST - seq);
    return behind < link->taken_count;
}

/* Whether a frame with that number is the next one; says so to the host. */
static bool take_number(struct link *link, uint8_t seq, uint32_t now_us)
{
    if (seq == after(link->taken)) {
        link->taken = seq;
        if (link->taken_count < LINK_WINDOW)
            link->taken_count++;
        link->ack_due = true;
        return true;
    }
    if (was_seen(link, seq)) {
        link->counts.seen++;
        link->ack_due = true;
    } else {
        link->counts.ahead++;
        ask_again(link, now_us);
    }
    return false;
}

static void refuse(struct link *link, uint8_t kind, uint8_t refusal, uint8_t detail,
                   uint32_t now_us)
{
    const uint8_t body[REFUSED_BYTES] = {kind, refusal, detail};

    link->counts.malformed++;
    link_send(link, MSG_REFUSED, body, sizeof body, now_us);
}

static void take_unnumbered(struct link *link, const struct frame *frame, uint32_t now_us)
{
    switch (frame->kind) {
    case MSG_PING:
        link->token = get_u32(frame->body);
        link->pong_due = true;
        break;
    case MSG_AGAIN:
        go_back(link, now_us);
        break;
    default: /* ACK: its `ack` has been taken */
        break;
    }
}

static enum link_event take_in_session(struct link *link, const struct frame *frame,
                                       uint32_t now_us)
{
    uint8_t detail = 0;
    const uint8_t refusal = message_refusal(frame, &detail);

    heard(link, now_us);
    take_ack(link, frame->ack);
    if (!frame->seq) {
        if (refusal)
            link->counts.malformed++;
        else
            take_unnumbered(link, frame, now_us);
        return LINK_NOTHING;
    }
    if (!take_number(link, frame->seq, now_us))
        return LINK_NOTHING;
    if (refusal) {
        refuse(link, frame->kind, refusal, detail, now_us);
        return LINK_NOTHING;
    }
    link->message = *frame;
    return LINK_MESSAGE;
}

static enum link_event take_frame(struct link *link, const struct frame *frame, uint32_t now_us)
{
    uint8_t detail;

    if (frame->session && frame->kind == MSG_HELLO) {
        if (!message_refusal(frame, &detail))
            return take_hello(link, frame, now_us);
        link->counts.malformed++;
        return LINK_NOTHING;
    }
    if (frame->session && frame->session == link->session)
        return take_in_session(link, frame, now_us);
    link->counts.foreign++;
    return LINK_NOTHING;
}

enum link_event link_take(struct link *link, uint8_t byte, uint32_t now_us)
{
    struct frame frame;

    switch (frame_receive(&link->receiver, byte, &frame)) {
    case FRAME_TAKEN:
        return take_frame(link, &frame, now_us);
    case FRAME_BAD:
        link->counts.bad++;
        ask_again(link, now_us);
        return LINK_NOTHING;
    default:
        return LINK_NOTHING;
    }
}

void link_tick(struct link *link, uint32_t now_us)
{
    if (now_us - link->heard_us >= LINK_LOST_US)
        link->controller_lost = true;
    if (link->session && link->numbered &&
        now_us - queued(link, 0)->first_us >= LINK_PATIENCE_US) {
        forget_everything_said(link);
        link->session = 0;
        link->booted_us = now_us;
    }
    if (!link->session && has_passed(now_us, link->booted_us)) {
        link->booted_due = true;
        link->booted_us = now_us + LINK_BOOTED_US;
    }
    if (link->sent && has_passed(now_us, queued(link, 0)->out_us + LINK_RESEND_US))
        go_back(link, now_us);
}

static struct outgoing *put(struct link *link, uint8_t kind)
{
    struct outgoing *frame = queued(link, link->count++);

    frame->kind = kind;
    frame->seq = 0;
    return frame;
}

/* Too much waits: what has no number yet gives way to a snapshot, the frame that found no room included. */
static void leave_gap(struct link *link, uint32_t now_us)
{
    uint16_t lost = 1;
    struct outgoing *gap;

    while (link->count > link->numbered) {
        const struct outgoing *dropped = queued(link, --link->count);

        if (dropped->kind == MSG_SNAPSHOT && dropped->body[SNAPSHOT_REASON_AT] == GAP)
            lost = (uint16_t)(lost + get_u16(dropped->body + SNAPSHOT_LOST_AT));
        else
            lost++;
    }
    link->counts.gaps++;
    gap = put(link, MSG_SNAPSHOT);
    gap->length = snapshot_write(gap->body, now_us, GAP, lost, link->state);
}

void link_send(struct link *link, uint8_t kind, const uint8_t *body, uint8_t length,
               uint32_t now_us)
{
    struct outgoing *frame;

    if (!link->session)
        return;
    if (link->count - link->numbered == LINK_WAITING) {
        leave_gap(link, now_us);
        return;
    }
    frame = put(link, kind);
    frame->length = length;
    memcpy(frame->body, body, length);
}

void link_send_analog(struct link *link, const uint8_t body[ANALOG_BYTES])
{
    memcpy(link->analog, body, ANALOG_BYTES);
    link->analog_due = link->session != 0;
}

static uint8_t write(struct link *link, uint8_t kind, uint8_t seq, const uint8_t *body,
                     uint8_t length, uint8_t *wire)
{
    const struct frame frame = {kind, link->session, seq, link->taken, length, body};

    link->ack_due = false;
    return frame_write(&frame, wire);
}

static uint8_t write_identity(struct link *link, uint8_t *wire)
{
    const struct frame frame = {MSG_IDENTITY, link->identity_session, 0, 0, IDENTITY_BYTES,
                                link->identity};

    link->identity_due = false;
    put_u16(link->identity + SINCE_AT, link->since);
    return frame_write(&frame, wire);
}

static uint8_t write_booted(struct link *link, uint8_t *wire)
{
    /* Its body is how IDENTITY's begins. */
    const struct frame frame = {MSG_BOOTED, 0, 0, 0, BOOTED_BYTES, link->identity};

    link->booted_due = false;
    return frame_write(&frame, wire);
}

static uint8_t write_pong(struct link *link, uint32_t now_us, uint8_t *wire)
{
    uint8_t body[PONG_BYTES];

    link->pong_due = false;
    put_u32(put_u32(body, link->token), now_us);
    return write(link, MSG_PONG, 0, body, PONG_BYTES, wire);
}

static bool may_send_numbered(const struct link *link)
{
    return link->sent < link->numbered ||
           (link->numbered < LINK_WINDOW && link->numbered < link->count);
}

static uint8_t write_numbered(struct link *link, uint32_t now_us, uint16_t unsent, uint8_t *wire)
{
    struct outgoing *frame = queued(link, link->sent++);
    uint8_t length;

    if (frame->seq) {
        link->counts.resent++;
    } else {
        frame->seq = link->last_seq = after(link->last_seq);
        frame->first_us = now_us;
        link->numbered++;
    }
    length = write(link, frame->kind, frame->seq, frame->body, frame->length, wire);
    frame->out_us = now_us + (uint32_t)(unsent + length) * LINK_BYTE_US;
    return length;
}

uint8_t link_next(struct link *link, uint32_t now_us, uint16_t unsent,
                  uint8_t wire[FRAME_WIRE_MAX])
{
    if (link->identity_due)
        return write_identity(link, wire);
    if (!link->session)
        return link->booted_due ? write_booted(link, wire) : 0;
    if (link->pong_due)
        return write_pong(link, now_us, wire);
    if (link->again_due) {
        link->again_due = false;
        return write(link, MSG_AGAIN, 0, wire, 0, wire);
    }
    if (may_send_numbered(link))
        return write_numbered(link, now_us, unsent, wire);
    if (link->analog_due) {
        link->analog_due = false;
        return write(link, MSG_ANALOG, 0, link->analog, ANALOG_BYTES, wire);
    }
    return link->ack_due ? write(link, MSG_ACK, 0, wire, 0, wire) : 0;
}
