/* Any bytes at all: what the receiver takes is a frame, and comes back the same through the writer. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct frame *frame)
{
    struct frame_receiver receiver;
    struct frame again;
    uint8_t wire[FRAME_WIRE_MAX], at;
    const uint8_t count = frame_write(frame, wire);

    if (count != FRAME_WIRE_BYTES(frame->length))
        abort();
    frame_receiver_init(&receiver);
    for (at = 0; at < count - 1; at++)
        if (frame_receive(&receiver, wire[at], &again) != FRAME_NOTHING)
            abort();
    if (frame_receive(&receiver, wire[at], &again) != FRAME_TAKEN || again.kind != frame->kind ||
        again.session != frame->session || again.seq != frame->seq || again.ack != frame->ack ||
        again.length != frame->length || memcmp(again.body, frame->body, frame->length))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frame_receiver receiver;
    struct frame frame;
    static const uint8_t good[] = {0, 4, 0x10, 0x34, 0x12, 6, 5, 0xF8, 0x8C, 0x43, 0xB6, 0};
    size_t at;
    enum frame_event last = FRAME_NOTHING;

    frame_receiver_init(&receiver);
    for (at = 0; at < size; at++)
        if (frame_receive(&receiver, data[at], &frame) == FRAME_TAKEN)
            check_again(&frame);
    /* In step again at the next zero, whatever came before. */
    for (at = 0; at < sizeof good; at++)
        last = frame_receive(&receiver, good[at], &frame);
    if (last != FRAME_TAKEN || frame.kind != 0x10)
        abort();
    return 0;
}
