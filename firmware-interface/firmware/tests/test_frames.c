#include "frame.h"
#include "testing.h"

static uint8_t receive_all(struct frame_receiver *receiver, const uint8_t *bytes, unsigned count,
                           struct frame *frame, unsigned *bad)
{
    uint8_t taken = 0;

    *bad = 0;
    while (count--) {
        switch (frame_receive(receiver, *bytes++, frame)) {
        case FRAME_TAKEN:
            taken++;
            break;
        case FRAME_BAD:
            ++*bad;
            break;
        case FRAME_NOTHING:
            break;
        }
    }
    return taken;
}

static void check_round_trip(uint8_t length, uint8_t fill, uint8_t step)
{
    struct frame_receiver receiver;
    uint8_t body[FRAME_BODY_MAX], wire[FRAME_WIRE_MAX];
    const struct frame sent = {7, 0x1200, fill, 255, length, body};
    struct frame got;
    unsigned bad;
    uint8_t i, count;

    for (i = 0; i < length; i++)
        body[i] = (uint8_t)(fill + i * step);
    count = frame_write(&sent, wire);
    CHECK_EQUAL(count, FRAME_WIRE_BYTES(length));
    CHECK(!wire[0] && !wire[count - 1]);
    for (i = 1; i < count - 1; i++)
        CHECK(wire[i]);
    frame_receiver_init(&receiver);
    CHECK_EQUAL(receive_all(&receiver, wire, count, &got, &bad), 1);
    CHECK_EQUAL(bad, 0);
    CHECK(got.kind == 7 && got.session == 0x1200 && got.seq == fill && got.ack == 255);
    CHECK(got.length == length && !memcmp(got.body, body, length));
}

static void bodies_of_any_length_come_back(void)
{
    uint8_t length;

    for (length = 0; length <= FRAME_BODY_MAX; length++) {
        check_round_trip(length, 0, 0);
        check_round_trip(length, 0, 1);
        check_round_trip(length, 200, 7);
        check_round_trip(length, 255, 0);
    }
}

/* Every single bit that turns over on the way is noticed, or moves only what lies between zeros. */
static void no_damaged_frame_is_taken(void)
{
    const uint8_t body[] = {1, 2, 0, 0, 3, 255, 0};
    const struct frame sent = {0x86, 0x4D41, 3, 0, sizeof body, body};
    uint8_t wire[FRAME_WIRE_MAX];
    const uint8_t count = frame_write(&sent, wire);
    unsigned bit, bad;

    for (bit = 8; bit < 8U * (unsigned)(count - 1); bit++) {
        struct frame_receiver receiver;
        struct frame got;

        frame_receiver_init(&receiver);
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_EQUAL(receive_all(&receiver, wire, count, &got, &bad), 0);
        CHECK(bad >= 1);
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK_EQUAL(receive_all(&receiver, wire, count, &got, &bad), 1);
    }
}

static void crc_is_that_of_zip(void)
{
    CHECK_EQUAL(crc32(0, (const uint8_t *)"123456789", 9), 0xCBF43926);
    CHECK_EQUAL(crc32(crc32(0, (const uint8_t *)"1234", 4), (const uint8_t *)"56789", 5), 0xCBF43926);
}

void test_frames(void)
{
    crc_is_that_of_zip();
    bodies_of_any_length_come_back();
    no_damaged_frame_is_taken();
}
