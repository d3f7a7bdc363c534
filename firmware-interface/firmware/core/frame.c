#include "frame.h"

#include "bytes.h"

/* What the register holds after a message and its own CRC, before the final inversion. */
#define CRC_RESIDUE 0xDEBB20E3UL
#define CRC_START 0xFFFFFFFFUL

/* Half a byte at a time: a table for whole bytes would be an eighth of an ATmega2560's RAM. */
static uint32_t crc_step(uint32_t crc, uint8_t byte)
{
    static const uint32_t table[16] = {
        0x00000000UL, 0x1DB71064UL, 0x3B6E20C8UL, 0x26D930ACUL, 0x76DC4190UL, 0x6B6B51F4UL,
        0x4DB26158UL, 0x5005713CUL, 0xEDB88320UL, 0xF00F9344UL, 0xD6D6A3E8UL, 0xCB61B38CUL,
        0x9B64C2B0UL, 0x86D3D2D4UL, 0xA00AE278UL, 0xBDBDF21CUL,
    };
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15];
    return crc >> 4 ^ table[crc & 15];
}

uint32_t crc32(uint32_t crc, const uint8_t *bytes, uint16_t count)
{
    crc ^= CRC_START;
    while (count--)
        crc = crc_step(crc, *bytes++);
    return crc ^ CRC_START;
}

void frame_receiver_init(struct frame_receiver *receiver)
{
    receiver->length = 0;
    receiver->encoded = 0;
    receiver->left = 0;
    receiver->zero_due = false;
    receiver->broken = false;
    receiver->crc = CRC_START;
}

static void take_decoded(struct frame_receiver *receiver, uint8_t byte)
{
    if (receiver->length == FRAME_MAX) {
        receiver->broken = true;
        return;
    }
    receiver->decoded[receiver->length++] = byte;
    receiver->crc = crc_step(receiver->crc, byte);
}

static void take_encoded(struct frame_receiver *receiver, uint8_t byte)
{
    if (receiver->left) {
        receiver->left--;
        take_decoded(receiver, byte);
        return;
    }
    if (receiver->zero_due)
        take_decoded(receiver, 0);
    receiver->left = (uint8_t)(byte - 1);
    receiver->zero_due = byte != 0xFF;
}

static enum frame_event end_of_frame(struct frame_receiver *receiver, struct frame *frame)
{
    bool good = !receiver->broken && !receiver->left && receiver->length >= FRAME_MIN &&
                receiver->crc == CRC_RESIDUE;
    bool empty = !receiver->encoded;

    if (good) {
        frame->kind = receiver->decoded[0];
        frame->session = get_u16(receiver->decoded + 1);
        frame->seq = receiver->decoded[3];
        frame->ack = receiver->decoded[4];
        frame->length = (uint8_t)(receiver->length - FRAME_MIN);
        frame->body = receiver->decoded + FRAME_HEAD_BYTES;
    }
    frame_receiver_init(receiver);
    if (empty)
        return FRAME_NOTHING;
    return good ? FRAME_TAKEN : FRAME_BAD;
}

enum frame_event frame_receive(struct frame_receiver *receiver, uint8_t byte, struct frame *frame)
{
    if (!byte)
        return end_of_frame(receiver, frame);
    if (receiver->encoded == FRAME_ENCODED_MAX)
        receiver->broken = true;
    else
        receiver->encoded++;
    if (!receiver->broken)
        take_encoded(receiver, byte);
    return FRAME_NOTHING;
}

struct encoder {
    uint8_t *next;
    uint8_t *code; /* where the running block's length goes; no block of ours is longer than 122 */
    uint32_t crc;
};

static void encode(struct encoder *encoder, uint8_t byte)
{
    if (byte) {
        *encoder->next++ = byte;
        return;
    }
    *encoder->code = (uint8_t)(encoder->next - encoder->code);
    encoder->code = encoder->next++;
}

static void encode_counted(struct encoder *encoder, uint8_t byte)
{
    encoder->crc = crc_step(encoder->crc, byte);
    encode(encoder, byte);
}

uint8_t frame_write(const struct frame *frame, uint8_t wire[FRAME_WIRE_MAX])
{
    struct encoder encoder = {wire + 2, wire + 1, CRC_START};
    uint8_t i;

    wire[0] = 0;
    encode_counted(&encoder, frame->kind);
    encode_counted(&encoder, (uint8_t)frame->session);
    encode_counted(&encoder, (uint8_t)(frame->session >> 8));
    encode_counted(&encoder, frame->seq);
    encode_counted(&encoder, frame->ack);
    for (i = 0; i < frame->length; i++)
        encode_counted(&encoder, frame->body[i]);
    encoder.crc ^= CRC_START;
    for (i = 0; i < FRAME_CRC_BYTES; i++) {
        encode(&encoder, (uint8_t)encoder.crc);
        encoder.crc >>= 8;
    }
    *encoder.code = (uint8_t)(encoder.next - encoder.code);
    *encoder.next++ = 0;
    return (uint8_t)(encoder.next - wire);
}
