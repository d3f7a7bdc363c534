#include "host.h"

#include "testing.h"

void host_begin(struct host *host)
{
    memset(host, 0, sizeof *host);
    frame_receiver_init(&host->receiver);
}

void host_hear(struct host *host, const uint8_t *bytes, unsigned count)
{
    while (count--) {
        struct host_frame *next = &host->got[host->count % HOST_FRAMES];

        switch (frame_receive(&host->receiver, *bytes++, &next->frame)) {
        case FRAME_TAKEN:
            memcpy(next->body, next->frame.body, next->frame.length);
            next->frame.body = next->body;
            host->count++;
            CHECK(host->count < HOST_FRAMES);
            break;
        case FRAME_BAD:
            host->bad++;
            break;
        case FRAME_NOTHING:
            break;
        }
    }
}

const struct frame *host_last(const struct host *host, uint8_t kind)
{
    unsigned at = host->count;

    while (at--)
        if (host->got[at].frame.kind == kind)
            return &host->got[at].frame;
    return NULL;
}

unsigned host_count(const struct host *host, uint8_t kind)
{
    unsigned at, count = 0;

    for (at = 0; at < host->count; at++)
        count += host->got[at].frame.kind == kind;
    return count;
}

uint8_t host_frame(uint8_t wire[FRAME_WIRE_MAX], uint8_t kind, uint16_t session, uint8_t seq,
                   uint8_t ack, const void *body, uint8_t length)
{
    const struct frame frame = {kind, session, seq, ack, length, body};

    return frame_write(&frame, wire);
}
