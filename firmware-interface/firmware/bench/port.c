#define _GNU_SOURCE
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

static bool fail(const char *what, const char *where)
{
    fprintf(stderr, "%s %s: %s\n", what, where, strerror(errno));
    return false;
}

static void set_nonblocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void set_raw(int fd)
{
    struct termios settings;

    if (tcgetattr(fd, &settings))
        return;
    cfmakeraw(&settings);
    tcsetattr(fd, TCSANOW, &settings);
}

bool port_open_pty(struct port *port, const char *link)
{
    const char *name;

    *port = (struct port){.fd = posix_openpt(O_RDWR | O_NOCTTY), .listener = -1, .pty = true};
    if (port->fd < 0 || grantpt(port->fd) || unlockpt(port->fd))
        return fail("cannot make a", "pseudo-terminal");
    set_raw(port->fd);
    set_nonblocking(port->fd);
    name = ptsname(port->fd);
    if (!name)
        return fail("cannot name the", "pseudo-terminal");
    snprintf(port->path, sizeof port->path, "%s", link ? link : name);
    if (link) {
        unlink(link);
        if (symlink(name, link))
            return fail("cannot link", link);
    }
    return true;
}

static bool listen_at(int *listener, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return fail("cannot listen at", path);
    }
    strcpy(address.sun_path, path);
    unlink(path);
    *listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*listener < 0 || bind(*listener, (struct sockaddr *)&address, sizeof address) ||
        listen(*listener, 4))
        return fail("cannot listen at", path);
    return true;
}

bool port_open_socket(struct port *port, const char *path)
{
    *port = (struct port){.fd = -1, .listener = -1};
    snprintf(port->path, sizeof port->path, "%s", path);
    return listen_at(&port->listener, path);
}

bool port_open_fd(struct port *port, int fd)
{
    *port = (struct port){.fd = fd, .listener = -1, .open = true};
    if (fcntl(fd, F_GETFD) < 0)
        return fail("cannot use", "the descriptor");
    snprintf(port->path, sizeof port->path, "descriptor %d", fd);
    set_nonblocking(fd);
    return true;
}

static void hang_up(struct port *port)
{
    port->open = false;
    if (port->pty || port->fd < 0)
        return;
    close(port->fd);
    port->fd = -1;
}

static bool pty_is_open(const struct port *port)
{
    struct pollfd look = {.fd = port->fd, .events = POLLIN};

    return poll(&look, 1, 0) >= 0 && !(look.revents & POLLHUP);
}

bool port_attend(struct port *port)
{
    const bool was_open = port->open;

    if (port->pty) {
        port->open = pty_is_open(port);
        return port->open && !was_open;
    }
    if (port->listener >= 0) {
        int client = accept4(port->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (client < 0)
            return false;
        hang_up(port); /* the newest program has the port */
        port->fd = client;
        port->open = true;
        return true;
    }
    return false;
}

uint16_t port_read(struct port *port, uint8_t *bytes, uint16_t size)
{
    ssize_t count;

    if (port->fd < 0)
        return 0;
    count = read(port->fd, bytes, size);
    if (count > 0)
        return (uint16_t)count;
    if (count == 0 || (errno != EAGAIN && errno != EINTR))
        hang_up(port);
    return 0;
}

void port_write(struct port *port, const uint8_t *bytes, uint16_t count)
{
    ssize_t written;

    if (!port->open)
        return;
    written = write(port->fd, bytes, count);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        hang_up(port);
}

int port_wait_fd(const struct port *port)
{
    return port->open ? port->fd : port->listener;
}

void port_close(struct port *port)
{
    if (port->fd >= 0)
        close(port->fd);
    if (port->listener >= 0)
        close(port->listener);
    if (port->path[0] == '/' && strncmp(port->path, "/dev/", 5))
        unlink(port->path);
    port->fd = port->listener = -1;
}
