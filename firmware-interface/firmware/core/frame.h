/* Frames of the table link (PROTOCOL.md, "Frames"): bytes to frames and back. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_BODY_MAX 112
#define FRAME_HEAD_BYTES 5
#define FRAME_CRC_BYTES 4
#define FRAME_MIN (FRAME_HEAD_BYTES + FRAME_CRC_BYTES)
#define FRAME_MAX (FRAME_MIN + FRAME_BODY_MAX)
#define FRAME_ENCODED_MAX (FRAME_MAX + 1)
#define FRAME_WIRE_MAX (FRAME_ENCODED_MAX + 2)

/* Bytes that a frame with a body of that length takes on the line, both zeros included. */
#define FRAME_WIRE_BYTES(body_length) (FRAME_MIN + (body_length) + 3)

struct frame {
    uint8_t kind;
    uint16_t session;
    uint8_t seq;
    uint8_t ack;
    uint8_t length;
    const uint8_t *body; /* `length` bytes, valid until the receiver gets its next byte */
};

enum frame_event {
    FRAME_NOTHING,
    FRAME_TAKEN,
    FRAME_BAD /* what lay between two zeros was no frame: too long, too short, no COBS, wrong CRC */
};

/* Decodes as the bytes come, so that the work a byte is small and the same for all. */
struct frame_receiver {
    uint8_t decoded[FRAME_MAX];
    uint8_t length;
    uint8_t encoded; /* bytes since the last zero, FRAME_ENCODED_MAX + 1 at most */
    uint8_t left;    /* bytes of the running COBS block that are still to come */
    bool zero_due;
    bool broken;
    uint32_t crc;
};

void frame_receiver_init(struct frame_receiver *receiver);

/* Takes one byte of the line. Fills `frame` if it says FRAME_TAKEN. */
enum frame_event frame_receive(struct frame_receiver *receiver, uint8_t byte, struct frame *frame);

/* Writes a frame as it goes on the line, its zeros included; gives the number of bytes, at most
 * FRAME_WIRE_MAX. The body must not be longer than FRAME_BODY_MAX. */
uint8_t frame_write(const struct frame *frame, uint8_t wire[FRAME_WIRE_MAX]);

/* CRC-32 of IEEE 802.3. Begin with 0; the value so far goes in with the next piece. */
uint32_t crc32(uint32_t crc, const uint8_t *bytes, uint16_t count);

#endif
