/* A whole board under a host that says anything at any time, over a line that damages anything: it must
 * neither crash nor grow, and all that it says must be good frames. The input is a list of acts. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "fake_hal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct app app;
static struct frame_receiver ear;
static uint8_t last_heard;

static void check(void)
{
    const struct link *link = &app.link;

    if (link->count > LINK_QUEUE || link->numbered > LINK_WINDOW || link->numbered > link->count ||
        link->sent > link->numbered || link->count - link->numbered > LINK_WAITING ||
        (!link->session && link->count) || app.state.occupied & ~app.state.known)
        abort();
}

static void turn(unsigned times)
{
    while (times--) {
        uint32_t at;

        fake.now_us += 500;
        fake.out_count = 0;
        app_step(&app);
        for (at = 0; at < fake.out_count; at++) {
            struct frame frame;

            switch (frame_receive(&ear, fake.out[at], &frame)) {
            case FRAME_BAD:
                abort();
            case FRAME_TAKEN:
                if (frame.seq)
                    last_heard = frame.seq;
                break;
            case FRAME_NOTHING:
                break;
            }
        }
        check();
    }
}

static void hear(const uint8_t *bytes, uint8_t count)
{
    memcpy(fake.in, bytes, count);
    fake.in_at = 0;
    fake.in_count = count;
    while (fake.in_at < fake.in_count)
        turn(1);
}

/* A good frame of the running session, next in order if it has a number. */
static void say(const uint8_t *act, uint8_t length)
{
    const uint8_t kind = act[0] & 0x1F;
    const bool hello = kind == MSG_HELLO;
    const bool numbered = kind >= MSG_SNAPSHOT_PLEASE && kind < MSG_ACK;
    const uint8_t next = app.link.taken == 255 ? 1 : (uint8_t)(app.link.taken + 1);
    const struct frame frame = {kind, hello ? (uint16_t)(act[0] >> 5) : app.link.session,
                                numbered ? next : 0, act[0] & 0x20 ? last_heard : 0,
                                (uint8_t)(length - 1), act + 1};
    uint8_t wire[FRAME_WIRE_MAX];

    hear(wire, frame_write(&frame, wire));
}

static void move(const uint8_t *act, uint8_t length)
{
    fake.contacts.keys = act[0];
    fake.contacts.buttons = length > 1 ? act[1] * 8U & 0x7FF : 0;
    fake.contacts.seats = length > 2 ? act[2] * 8U & 0x7FF : 0;
    fake.counts[act[0] % SEATS] = length > 3 ? (uint16_t)(act[3] * 4U + (act[2] & 3)) : 0;
    fake.lost = length > 4 && act[4] & 1;
    fake.unsent = length > 5 ? act[5] : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fake_reset();
    frame_receiver_init(&ear);
    last_heard = 0;
    app_init(&app);
    while (size > 2) {
        const uint8_t what = data[0] & 3;
        uint8_t length = (uint8_t)(data[0] >> 2 | 1);

        if (length > size - 1)
            length = (uint8_t)(size - 1);
        if (what == 0)
            hear(data + 1, length);
        else if (what == 1)
            say(data + 1, length);
        else if (what == 2)
            move(data + 1, length);
        else
            turn(data[1] * 8U);
        turn(3);
        data += 1 + length;
        size -= 1 + (size_t)length;
    }
    return 0;
}
