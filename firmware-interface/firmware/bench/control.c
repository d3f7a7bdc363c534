#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"

static void hex(char *out, const uint8_t *bytes, size_t count)
{
    while (count--)
        out += sprintf(out, "%02x", *bytes++);
}

static void say_lamps(char *answer)
{
    uint8_t rgb[3 * LAMPS];
    int lamp;

    bench_lamps(rgb);
    answer += sprintf(answer, "lamps");
    for (lamp = 0; lamp < LAMPS; lamp++) {
        *answer++ = ' ';
        hex(answer, rgb + 3 * lamp, 3);
        answer += 6;
    }
}

static void say_pixels(char *answer)
{
    struct bench_pixels pixels;

    bench_pixels(&pixels);
    if (!pixels.lit) {
        strcpy(answer, "pixels off");
        return;
    }
    answer += sprintf(answer, "pixels %u ", pixels.brightness);
    hex(answer, pixels.rows, sizeof pixels.rows);
}

static bool is_one_of(const char *word, const char *yes, const char *no, bool *value)
{
    *value = !strcmp(word, yes);
    return *value || !strcmp(word, no);
}

static bool move(const char *thing, unsigned number, const char *word, unsigned counts)
{
    bool on;

    if (!strcmp(thing, "key") && number >= 1 && number <= KEYS &&
        is_one_of(word, "down", "up", &on))
        bench_key((uint8_t)number, on);
    else if (!strcmp(thing, "button") && number >= 1 && number <= BUTTON_SENSORS &&
             is_one_of(word, "on", "off", &on))
        bench_button((uint8_t)number, on);
    else if (!strcmp(thing, "seat") && number >= 1 && number <= SEATS &&
             is_one_of(word, "closed", "open", &on))
        bench_seat_contact((uint8_t)number, on);
    else if (!strcmp(thing, "seat") && number >= 1 && number <= SEATS &&
             !strcmp(word, "counts") && counts <= ADC_HIGHEST)
        bench_seat_counts((uint8_t)number, (uint16_t)counts);
    else
        return false;
    return true;
}

static bool act(const char *line)
{
    if (!strcmp(line, "restart"))
        bench_restart();
    else if (!strcmp(line, "hang"))
        bench_hang();
    else if (!strcmp(line, "line cut"))
        bench_cut(true);
    else if (!strcmp(line, "line joined"))
        bench_cut(false);
    else
        return false;
    return true;
}

void control_command(const char *line, char answer[CONTROL_LINE_MAX])
{
    char thing[16], word[16];
    unsigned number, counts = ADC_HIGHEST + 1;

    strcpy(answer, "ok");
    if (!strcmp(line, "lamps"))
        say_lamps(answer);
    else if (!strcmp(line, "pixels"))
        say_pixels(answer);
    else if (!strcmp(line, "time"))
        sprintf(answer, "time %" PRIu64, bench_time_us());
    else if (!act(line) && (sscanf(line, "%15s %u %15s %u", thing, &number, word, &counts) < 3 ||
                            !move(thing, number, word, counts)))
        snprintf(answer, CONTROL_LINE_MAX, "error: not a command: %.100s", line);
}

bool control_open(struct control *control, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int i;

    memset(control, 0, sizeof *control);
    control->listener = -1;
    for (i = 0; i < CONTROL_CLIENTS; i++)
        control->client[i].fd = -1;
    if (!path)
        return true;
    if (strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "the control socket's path is too long: %s\n", path);
        return false;
    }
    strcpy(address.sun_path, path);
    strcpy(control->path, path);
    unlink(path);
    control->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (control->listener < 0 ||
        bind(control->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(control->listener, CONTROL_CLIENTS)) {
        fprintf(stderr, "cannot listen at %s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}

static void drop(struct client *client)
{
    close(client->fd);
    client->fd = -1;
    client->length = 0;
}

static void take_clients(struct control *control)
{
    int i;

    for (i = 0; i < CONTROL_CLIENTS; i++)
        if (control->client[i].fd < 0)
            control->client[i].fd =
                accept4(control->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static void answer_lines(struct client *client)
{
    char *end;

    while ((end = memchr(client->line, '\n', client->length))) {
        const size_t used = (size_t)(end - client->line) + 1;
        char answer[CONTROL_LINE_MAX + 1];
        size_t length;

        *end = 0;
        control_command(client->line, answer);
        length = strlen(answer);
        answer[length] = '\n';
        client->length -= used;
        memmove(client->line, client->line + used, client->length);
        if (send(client->fd, answer, length + 1, MSG_NOSIGNAL) < 0) {
            drop(client);
            return;
        }
    }
}

static void attend_client(struct client *client)
{
    for (;;) {
        const size_t room = sizeof client->line - client->length;
        const ssize_t count = read(client->fd, client->line + client->length, room);

        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (count <= 0) {
            drop(client);
            return;
        }
        client->length += (size_t)count;
        answer_lines(client);
        if (client->fd < 0)
            return;
        if (client->length == sizeof client->line) {
            drop(client); /* that is no command */
            return;
        }
    }
}

void control_attend(struct control *control)
{
    int i;

    if (control->listener < 0)
        return;
    take_clients(control);
    for (i = 0; i < CONTROL_CLIENTS; i++)
        if (control->client[i].fd >= 0)
            attend_client(&control->client[i]);
}

int control_wait_fds(const struct control *control, struct pollfd *fds)
{
    int i, count = 0;

    if (control->listener < 0)
        return 0;
    fds[count++] = (struct pollfd){.fd = control->listener, .events = POLLIN};
    for (i = 0; i < CONTROL_CLIENTS; i++)
        if (control->client[i].fd >= 0)
            fds[count++] = (struct pollfd){.fd = control->client[i].fd, .events = POLLIN};
    return count;
}

void control_close(struct control *control)
{
    int i;

    for (i = 0; i < CONTROL_CLIENTS; i++)
        if (control->client[i].fd >= 0)
            drop(&control->client[i]);
    if (control->listener >= 0) {
        close(control->listener);
        unlink(control->path);
    }
}
