/* ../vectors.txt: what the bytes on the line mean, said once for both sides. */
#include "bytes.h"
#include "messages.h"
#include "testing.h"

#define LINE_MAX_BYTES 4096

static const struct {
    const char *name;
    uint8_t kind;
} kinds[] = {
    {"HELLO", MSG_HELLO},           {"PING", MSG_PING},
    {"SNAPSHOT_PLEASE", MSG_SNAPSHOT_PLEASE}, {"LAMPS", MSG_LAMPS},
    {"PIXELS", MSG_PIXELS},         {"SETTINGS", MSG_SETTINGS},
    {"THRESHOLD", MSG_THRESHOLD},   {"KEEP", MSG_KEEP},
    {"ANALOG_PLEASE", MSG_ANALOG_PLEASE}, {"ACK", MSG_ACK},
    {"AGAIN", MSG_AGAIN},           {"IDENTITY", MSG_IDENTITY},
    {"PONG", MSG_PONG},             {"BOOTED", MSG_BOOTED},
    {"SEATS", MSG_SEATS},           {"BUTTONS", MSG_BUTTONS},
    {"KEY", MSG_KEY},               {"FAULT", MSG_FAULT},
    {"SNAPSHOT", MSG_SNAPSHOT},     {"ANALOG", MSG_ANALOG},
    {"KEPT", MSG_KEPT},             {"REFUSED", MSG_REFUSED},
};

static const char *where; /* the vector's name, for what goes wrong */

static void complain(const char *what, const char *wanted)
{
    fprintf(stderr, "vector %s: %s, wanted: %s\n", where, what, wanted);
    exit(1);
}

/* The number behind ` name=`; `missing` if there is none. */
static unsigned long field(const char *text, const char *name, unsigned long missing)
{
    char key[32];
    const char *found;

    snprintf(key, sizeof key, " %s=", name);
    found = strstr(text, key);
    return found ? strtoul(found + strlen(key), NULL, 10) : missing;
}

static uint8_t kind_of(const char *text)
{
    unsigned i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(text, kinds[i].name, strlen(kinds[i].name)) &&
            text[strlen(kinds[i].name)] == ' ')
            return kinds[i].kind;
    complain("its kind is not known here", text);
    return 0;
}

/* Makes the board's frame again of what the line says, and compares bytes. */
static void check_written(const struct frame *frame, const char *wanted)
{
    struct table_state state = {0, 0, 0, 0, 0, {0}};
    const uint32_t time = (uint32_t)field(wanted, "time", 0);
    uint8_t body[FRAME_BODY_MAX];
    uint8_t length, key;

    state.occupied = (uint16_t)field(wanted, "occupied", 0);
    state.known = (uint16_t)field(wanted, "known", 0);
    state.faults = (uint16_t)field(wanted, "faults", 0);
    switch (frame->kind) {
    case MSG_SEATS:
        length = seats_write(body, time, &state);
        break;
    case MSG_BUTTONS:
        state.buttons = (uint16_t)field(wanted, "sensed", 0);
        length = buttons_write(body, time, &state);
        break;
    case MSG_KEY:
        key = (uint8_t)field(wanted, "key", 0);
        state.keys = (uint16_t)(field(wanted, "pressed", 0) << (key - 1));
        state.presses[key - 1] = (uint8_t)field(wanted, "presses", 0);
        length = key_write(body, time, key, &state);
        break;
    case MSG_FAULT:
        length = fault_write(body, time, &state);
        break;
    case MSG_SNAPSHOT: {
        const char *presses = strstr(wanted, " presses=") + 9;

        state.buttons = (uint16_t)field(wanted, "buttons", 0);
        state.keys = (uint16_t)field(wanted, "keys", 0);
        for (key = 0; key < KEYS; key++) {
            char *end;

            state.presses[key] = (uint8_t)strtoul(presses, &end, 10);
            presses = end + 1;
        }
        length = snapshot_write(body, time, (enum snapshot_reason)field(wanted, "reason", 0),
                                (uint16_t)field(wanted, "lost", 0), &state);
        break;
    }
    default:
        return;
    }
    if (frame->length < length || memcmp(frame->body, body, length))
        complain("we write it otherwise", wanted);
}

static void check_fields(const struct frame *frame, const char *wanted)
{
    if (frame->session != field(wanted, "session", 99999) || frame->seq != field(wanted, "seq", 999))
        complain("session or number", wanted);
}

/* What the host sends is judged as a board with our lamps and LED board judges it. */
static void check_judged(const struct frame *frame, const char *wanted)
{
    uint8_t detail = 99;
    const uint8_t refusal = message_refusal(frame, &detail);

    if (frame->kind == MSG_PIXELS && frame->length > 1 && frame->length != 1 + BOARD_BYTES) {
        if (refusal != WRONG_LENGTH || detail != 1 + BOARD_BYTES)
            complain("another board's picture was not refused", wanted);
    } else if (refusal) {
        complain("it was refused", wanted);
    }
}

static void check_refused(const struct frame *frame, const char *wanted)
{
    uint8_t detail = 99;
    const uint8_t refusal = message_refusal(frame, &detail);

    if (frame->kind != field(wanted, "kind", 999))
        complain("kind", wanted);
    if (frame->kind >= MSG_IDENTITY && frame->kind <= MSG_REFUSED)
        return; /* ours to send, not to judge */
    if (refusal != field(wanted, "reason", 99) || detail != field(wanted, "detail", 99)) {
        fprintf(stderr, "refusal %u, detail %u\n", refusal, detail);
        complain("it was judged otherwise", wanted);
    }
}

static void check_frame(const struct frame *frame, const char *wanted)
{
    check_fields(frame, wanted);
    if (!strncmp(wanted, "malformed ", 10)) {
        check_refused(frame, wanted);
        return;
    }
    if (frame->kind != kind_of(wanted) || frame->ack != field(wanted, "ack", 999))
        complain("kind or acknowledgement", wanted);
    if (frame->kind < MSG_IDENTITY)
        check_judged(frame, wanted);
    else
        check_written(frame, wanted);
}

static const char *next_wanted(char **rest)
{
    char *now = *rest, *end;

    if (!now)
        complain("more came than it should", "-");
    end = strstr(now, " ; ");
    *rest = end ? end + 3 : NULL;
    if (end)
        *end = 0;
    return now;
}

static void check_bad(const char *wanted)
{
    if (strcmp(wanted, "too-long") && strcmp(wanted, "bad-cobs") && strcmp(wanted, "too-short") &&
        strcmp(wanted, "bad-crc"))
        complain("a bad frame came", wanted);
}

static void check_line(const char *hex, char *wanted)
{
    struct frame_receiver receiver;
    struct frame frame;
    unsigned byte;
    char *rest = strcmp(wanted, "-") ? wanted : NULL;

    frame_receiver_init(&receiver);
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        switch (frame_receive(&receiver, (uint8_t)byte, &frame)) {
        case FRAME_TAKEN:
            check_frame(&frame, next_wanted(&rest));
            break;
        case FRAME_BAD:
            check_bad(next_wanted(&rest));
            break;
        case FRAME_NOTHING:
            break;
        }
    }
    if (rest)
        complain("it did not come", rest);
}

void test_vectors(const char *path)
{
    static char line[LINE_MAX_BYTES];
    FILE *file = fopen(path, "r");
    unsigned count = 0;

    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        char *hex = strchr(line, ' '), *wanted;

        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || !hex)
            continue;
        *hex++ = 0;
        wanted = strchr(hex, ' ');
        CHECK(wanted);
        *wanted++ = 0;
        where = line;
        check_line(hex, wanted);
        count++;
    }
    fclose(file);
    CHECK(count > 80);
    printf("vectors.txt: %u lines\n", count);
}
