/* A host for tests: speaks frames to a link or an app, keeps what comes back. */
#ifndef HOST_H
#define HOST_H

#include "frame.h"

#define HOST_FRAMES 256

struct host_frame {
    struct frame frame;
    uint8_t body[FRAME_BODY_MAX];
};

struct host {
    struct frame_receiver receiver;
    struct host_frame got[HOST_FRAMES];
    unsigned count, bad;
};

void host_begin(struct host *host);
void host_hear(struct host *host, const uint8_t *bytes, unsigned count);

/* The last frame of that kind; null if none came. */
const struct frame *host_last(const struct host *host, uint8_t kind);
unsigned host_count(const struct host *host, uint8_t kind);

uint8_t host_frame(uint8_t wire[FRAME_WIRE_MAX], uint8_t kind, uint16_t session, uint8_t seq,
                   uint8_t ack, const void *body, uint8_t length);

#endif
