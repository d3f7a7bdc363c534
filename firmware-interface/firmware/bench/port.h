/* The emulated board's end of the line to the host: a pseudo-terminal, a Unix socket, or a descriptor that
 * was handed over. Nothing here waits. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stdint.h>

struct port {
    int fd;       /* -1: nobody is connected */
    int listener; /* of a Unix socket, else -1 */
    bool pty;
    bool open; /* somebody holds the other end */
    char path[108];
};

/* Each prints what is wrong and gives false if it fails. `link`: a symbolic link to the terminal, or null. */
bool port_open_pty(struct port *port, const char *link);
bool port_open_socket(struct port *port, const char *path);
bool port_open_fd(struct port *port, int fd);

/* Looks who is there; true if somebody has just opened the port. */
bool port_attend(struct port *port);

/* Takes what has come, at most `size` bytes; gives how many. */
uint16_t port_read(struct port *port, uint8_t *bytes, uint16_t size);

/* What nobody takes is lost, as on a serial line. */
void port_write(struct port *port, const uint8_t *bytes, uint16_t count);

/* What to wait for bytes or clients on; -1: nothing. */
int port_wait_fd(const struct port *port);

void port_close(struct port *port);

#endif
