/* The board's side of a conversation over the table link (PROTOCOL.md): numbers, acknowledgements,
 * sending again, what waits to be sent. No port, no clock: bytes and times are given to it. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "messages.h"

#define LINK_WINDOW 8
#define LINK_WAITING 16
#define LINK_QUEUE (LINK_WINDOW + LINK_WAITING)

#define LINK_RESEND_US UINT32_C(20000)
#define LINK_AGAIN_US UINT32_C(5000)
#define LINK_PATIENCE_US UINT32_C(10000000)
#define LINK_BOOTED_US UINT32_C(500000)
#define LINK_LOST_US UINT32_C(1500000)
#define LINK_BYTE_US 87 /* ten bits at 115,200 baud, rounded up */

enum link_event {
    LINK_NOTHING,
    LINK_BEGUN,  /* a new session: forget what the last one asked for, say what is */
    LINK_MESSAGE /* `message` is the next numbered message of the host, and fits its kind */
};

struct outgoing {
    uint8_t kind;
    uint8_t seq; /* 0: never sent */
    uint8_t length;
    uint8_t body[SNAPSHOT_BYTES];
    uint32_t first_us; /* when it was sent first */
    uint32_t out_us;   /* when its last byte will have left, the last time it was sent */
};

/* Everything that came and was not taken, counted since the start. */
struct link_counts {
    uint16_t bad, malformed, foreign, ahead, seen, resent, gaps;
};

struct link {
    struct frame_receiver receiver;
    struct frame message;
    const struct table_state *state; /* what snapshots are made of */

    uint16_t session; /* 0: none */
    uint16_t since;   /* the first session since the start */
    uint8_t taken;    /* the last number taken from the host; 0: none yet */
    uint8_t taken_count; /* how many were taken, LINK_WINDOW at most */
    bool controller_lost;
    uint32_t heard_us;

    struct outgoing queue[LINK_QUEUE]; /* a ring, oldest at `head` */
    uint8_t head, count;
    uint8_t numbered; /* how many of them have a number: they come first */
    uint8_t sent;     /* how many of these have been sent since we last went back */
    uint8_t last_seq;

    bool identity_due, pong_due, ack_due, again_due, booted_due, analog_due;
    uint16_t identity_session;
    uint32_t token;
    uint32_t again_us, booted_us;
    uint8_t identity[IDENTITY_BYTES];
    uint8_t analog[ANALOG_BYTES];

    struct link_counts counts;
};

/* `identity` is IDENTITY's body; the link fills `since` in itself. `state` must outlive the link. */
void link_init(struct link *link, uint32_t now_us, const uint8_t identity[IDENTITY_BYTES],
               const struct table_state *state);

/* Takes one byte of the line. What does not fit its kind is refused here. */
enum link_event link_take(struct link *link, uint8_t byte, uint32_t now_us);

/* Lets time pass: lost controllers, sessions that end, BOOTED, sending again. */
void link_tick(struct link *link, uint32_t now_us);

/* Queues a numbered frame; without a session there is nobody to tell. If too much waits already, a
 * snapshot of the state takes its place, so the state must say by then what the frame says. The body must
 * not be longer than a SNAPSHOT's. */
void link_send(struct link *link, uint8_t kind, const uint8_t *body, uint8_t length,
               uint32_t now_us);

/* Queues ANALOG, which replaces one that has not been sent yet. */
void link_send_analog(struct link *link, const uint8_t body[ANALOG_BYTES]);

/* The next frame for the line: its length, 0 if there is none. `unsent` is how many bytes the
 * transmitter still holds. */
uint8_t link_next(struct link *link, uint32_t now_us, uint16_t unsent,
                  uint8_t wire[FRAME_WIRE_MAX]);

#endif
