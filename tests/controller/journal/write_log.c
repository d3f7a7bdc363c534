/* Preloaded into a process: appends to $WRITE_LOG, in order, everything that the process does to files under
 * $WRITE_LOG_FOLDER that a power cut could undo. A record is
 *   kind (1 byte: c create, w write, s sync, t truncate, u unlink, r rename), length of the name (4), offset (8), length of
 *   the data (8), the name, the data;
 * numbers are in the machine's own byte order. A synced folder has the name "". The data of a rename is
 * the new name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HANDLES 1024
#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static char *names[HANDLES]; /* name under the folder, by file descriptor */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_handle = -1;

static const char *under(const char *path) {
    const char *folder = getenv("WRITE_LOG_FOLDER");
    size_t n = folder ? strlen(folder) : 0;
    if (!n || strncmp(path, folder, n) != 0) return NULL;
    if (path[n] == '\0') return path + n;
    return path[n] == '/' ? path + n + 1 : NULL;
}

static void put(const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (real(log_handle, data, size) != (ssize_t)size) abort();
}

static void note(char kind, const char *name, int64_t offset, const void *data, uint64_t size) {
    uint32_t length = (uint32_t)strlen(name);
    pthread_mutex_lock(&lock);
    if (log_handle < 0) {
        static int (*real)(const char *, int, ...);
        if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
        log_handle = real(getenv("WRITE_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (log_handle < 0) abort();
    }
    put(&kind, 1);
    put(&length, sizeof length);
    put(&offset, sizeof offset);
    put(&size, sizeof size);
    put(name, length);
    if (size) put(data, size);
    pthread_mutex_unlock(&lock);
}

static int opened(int handle, const char *path, int fresh) {
    const char *name = under(path);
    if (handle >= 0 && handle < HANDLES) {
        free(names[handle]);
        names[handle] = name ? strdup(name) : NULL;
        if (name && fresh) note('c', name, 0, NULL, 0);
    }
    return handle;
}

static int absent(const char *path) {
    int before = errno;
    int is = access(path, F_OK) != 0;
    errno = before;
    return is;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        static int (*real)(const char *, int, ...); \
        if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int fresh = (flags & O_CREAT) && absent(path); \
        return opened(real(path, flags, mode), path, fresh); \
    }

OPEN(open)
OPEN(open64)

int close(int handle) {
    REAL(close);
    if (handle >= 0 && handle < HANDLES) {
        free(names[handle]);
        names[handle] = NULL;
    }
    return real(handle);
}

static const char *name_of(int handle) {
    return handle >= 0 && handle < HANDLES ? names[handle] : NULL;
}

#define PWRITE(name, offset_type) \
    ssize_t name(int handle, const void *data, size_t size, offset_type offset) { \
        REAL(name); \
        ssize_t done = real(handle, data, size, offset); \
        if (done > 0 && name_of(handle)) note('w', name_of(handle), offset, data, (uint64_t)done); \
        return done; \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int handle, const void *data, size_t size) {
    REAL(write);
    off64_t offset = name_of(handle) ? lseek64(handle, 0, SEEK_CUR) : 0;
    ssize_t done = real(handle, data, size);
    if (done > 0 && name_of(handle)) note('w', name_of(handle), offset, data, (uint64_t)done);
    return done;
}

#define SYNC(name) \
    int name(int handle) { \
        REAL(name); \
        int failed = real(handle); \
        if (!failed && name_of(handle)) note('s', name_of(handle), 0, NULL, 0); \
        return failed; \
    }

SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name, offset_type) \
    int name(int handle, offset_type size) { \
        REAL(name); \
        int failed = real(handle, size); \
        if (!failed && name_of(handle)) note('t', name_of(handle), size, NULL, 0); \
        return failed; \
    }

TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int unlink(const char *path) {
    REAL(unlink);
    int failed = real(path);
    if (!failed && under(path)) note('u', under(path), 0, NULL, 0);
    return failed;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    int failed = real(from, to);
    if (!failed && under(from) && under(to)) note('r', under(from), 0, under(to), strlen(under(to)));
    return failed;
}
