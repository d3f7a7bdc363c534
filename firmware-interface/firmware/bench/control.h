/* The control socket: a line a command, a line an answer. README.md lists the commands. */
#ifndef CONTROL_H
#define CONTROL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#define CONTROL_CLIENTS 4
#define CONTROL_LINE_MAX 256

struct control {
    int listener;
    char path[108];
    struct client {
        int fd; /* -1: free */
        size_t length;
        char line[CONTROL_LINE_MAX];
    } client[CONTROL_CLIENTS];
};

/* Listens at `path`; null: has no socket. Prints what is wrong and gives false if it fails. */
bool control_open(struct control *control, const char *path);

/* Takes clients and carries out what they have sent. */
void control_attend(struct control *control);

/* Fills in what to wait on; gives how many, at most CONTROL_CLIENTS + 1. */
int control_wait_fds(const struct control *control, struct pollfd *fds);

/* Carries out one command; the answer, without its line's end, goes into `answer`. */
void control_command(const char *line, char answer[CONTROL_LINE_MAX]);

void control_close(struct control *control);

#endif
