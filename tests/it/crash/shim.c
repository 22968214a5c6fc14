/* Records what a program does to the files of one directory, in order, for the crash test, and
 * lets one of these calls fail, for the fault tests.
 *
 * Linked into the program with the linker's --wrap: every call of, say, fsync arrives at
 * __wrap_fsync, and __real_fsync is the C library's. Journal records, little endian:
 *
 *   O id created length path     a file was opened (created: it was not there before)
 *   W id offset length bytes     written
 *   T id size                    truncated
 *   B id token / E id token      an fsync began / ended
 *   U length path                unlinked
 *
 * A write is recorded before the next call can begin, an fsync at both ends: what was written
 * before B is on the disk from E on, and nothing else is.
 *
 * SHIM_DIR is the directory, SHIM_JOURNAL the journal. Without a journal nothing
 * is recorded.
 *
 * SHIM_FULL=n: from n bytes on, the directory's disk is full.
 *
 * SHIM_QUOTA: while a file of this name exists, the quota of the directory is
 * exceeded: a write fails with EDQUOT unless files of the reserve were deleted
 * meanwhile that had room for it.
 *
 * SHIM_FAULT=kind:n: the n-th call of this kind fails once, and the file
 * SHIM_FIRED is created. If SHIM_ARMED is set, only calls count while a file of
 * that name exists. Kinds:
 *
 *   eio     a write, truncation, flush or creation of a file fails with EIO
 *   enospc  a write, truncation or creation of a file fails with ENOSPC
 *   edquot  the same with EDQUOT
 *   eintr   a write or an open fails with EINTR
 *   short   a write writes only its first half
 *   sync    a flush of the database or its write-ahead log fails with EIO
 *   delay   a write, truncation, flush or creation of a file takes 2 s longer
 *   slow    a flush of the database or its write-ahead log takes 2 s longer
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define FDS 4096
#define FILES 4096

int __real_open64(const char *, int, ...);
int __real_close(int);
ssize_t __real_write(int, const void *, size_t);
ssize_t __real_pwrite64(int, const void *, size_t, off64_t);
int __real_ftruncate64(int, off64_t);
int __real_fsync(int);
int __real_fdatasync(int);
int __real_unlink(const char *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static const char *dir;
static int active;
static long long room = -1;
static char fault_kind[16];
static long long fault_at;
static const char *fired, *armed, *quota;
static long long deleted; /* Bytes of deleted files of the reserve. */
static uint32_t id_of_fd[FDS]; /* 0: not ours */
static char is_database[FDS];  /* the database or its write-ahead log */
static char *path_of_id[FILES];
static uint32_t ids, token;

__attribute__((constructor)) static void start(void) {
    const char *name = getenv("SHIM_JOURNAL");
    const char *full = getenv("SHIM_FULL");
    const char *fault = getenv("SHIM_FAULT");
    const char *colon = fault ? strchr(fault, ':') : NULL;
    dir = getenv("SHIM_DIR");
    if (!dir) return;
    active = 1;
    quota = getenv("SHIM_QUOTA");
    if (full) room = atoll(full);
    if (colon && (size_t)(colon - fault) < sizeof fault_kind) {
        memcpy(fault_kind, fault, (size_t)(colon - fault));
        fault_at = atoll(colon + 1);
        fired = getenv("SHIM_FIRED");
        armed = getenv("SHIM_ARMED");
    }
    if (!name) return;
    journal = __real_open64(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (journal < 0) abort();
}

static void put(const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t done = __real_write(journal, at, length);
        if (done <= 0) abort();
        at += done;
        length -= (size_t)done;
    }
}

static void record(char op, uint32_t id, uint64_t a, uint32_t length, const void *bytes) {
    char head[17];
    if (journal < 0) return;
    head[0] = op;
    memcpy(head + 1, &id, 4);
    memcpy(head + 5, &a, 8);
    memcpy(head + 13, &length, 4);
    put(head, sizeof head);
    if (length > 0) put(bytes, length);
}

static int ours(const char *path) {
    size_t length = dir ? strlen(dir) : 0, all = strlen(path);
    if (!active || strncmp(path, dir, length) != 0) return 0;
    /* Shared memory: nothing in it has to survive. */
    return !(all > 4 && strcmp(path + all - 4, "-shm") == 0);
}

static uint32_t id(const char *path, int created) {
    if (journal < 0) return 1; /* Without a journal, all that counts is that it is ours. */
    for (uint32_t n = ids; n > 0 && !created; n--)
        if (path_of_id[n] && strcmp(path_of_id[n], path) == 0) return n;
    if (ids + 1 >= FILES) abort();
    path_of_id[++ids] = strdup(path);
    record('O', ids, (uint64_t)created, (uint32_t)strlen(path), path);
    return ids;
}

/* Which calls a kind of fault can hit. */
enum { WRITE = 1, TRUNCATE = 2, SYNC = 4, CREATE = 8, OPEN = 16 };

/* Returns whether the fault is of a kind. */
static int is_kind(const char *kind) { return strcmp(fault_kind, kind) == 0; }

/* Counts a call, delays it if it is the one to delay, and returns whether it is the one that
 * fails. The caller holds the lock. */
static int fails(int call) {
    int kinds;
    if (fault_at <= 0) return 0;
    if (is_kind("eio") || is_kind("delay")) kinds = WRITE | TRUNCATE | SYNC | CREATE;
    else if (is_kind("enospc") || is_kind("edquot")) kinds = WRITE | TRUNCATE | CREATE;
    else if (is_kind("eintr")) kinds = WRITE | OPEN;
    else if (is_kind("short")) kinds = WRITE;
    else if (is_kind("sync") || is_kind("slow")) kinds = SYNC;
    else abort();
    if (!(kinds & call) || (armed && access(armed, F_OK) != 0) || --fault_at > 0) return 0;
    if (fired) __real_close(__real_open64(fired, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (is_kind("delay") || is_kind("slow")) {
        /* Calls of other threads go on. */
        pthread_mutex_unlock(&lock);
        sleep(2);
        pthread_mutex_lock(&lock);
        return 0;
    }
    if (is_kind("enospc")) errno = ENOSPC;
    else if (is_kind("edquot")) errno = EDQUOT;
    else if (is_kind("eintr")) errno = EINTR;
    else errno = EIO;
    return 1;
}

/* Returns the length that a write may write, or 0 if it fails. The caller holds the lock. */
static size_t allowed(size_t length) {
    if (length == 0 || !fails(WRITE)) return length;
    return is_kind("short") ? (length + 1) / 2 : 0;
}

int __wrap_open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!ours(path)) return __real_open64(path, flags, mode);
    pthread_mutex_lock(&lock);
    int created = (flags & O_CREAT) && access(path, F_OK) != 0;
    int fails_now = fails(created ? CREATE | OPEN : OPEN);
    int fd = fails_now ? -1 : __real_open64(path, flags, mode);
    int error = errno;
    if (fd >= FDS) abort();
    if (fd >= 0) {
        id_of_fd[fd] = id(path, created);
        is_database[fd] = strstr(path, "/chartroom.db") != NULL;
        if (!created && (flags & O_TRUNC)) record('T', id_of_fd[fd], 0, 0, NULL);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

int __wrap_close(int fd) {
    if (fd >= 0 && fd < FDS) id_of_fd[fd] = 0;
    return __real_close(fd);
}

static int full(size_t length) {
    if (room < 0) return 0;
    if ((long long)length > room) {
        errno = ENOSPC;
        return 1;
    }
    room -= (long long)length;
    return 0;
}

static int over_quota(size_t length) {
    if (!quota || access(quota, F_OK) != 0) return 0;
    if ((long long)length > deleted) {
        errno = EDQUOT;
        return 1;
    }
    deleted -= (long long)length;
    return 0;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t length) {
    if (fd < 0 || fd >= FDS || !id_of_fd[fd]) return __real_write(fd, bytes, length);
    pthread_mutex_lock(&lock);
    int appends = fcntl(fd, F_GETFL) & O_APPEND;
    off64_t at = lseek64(fd, 0, appends ? SEEK_END : SEEK_CUR);
    size_t most = allowed(length);
    int fails_now = (length > 0 && most == 0) || over_quota(most);
    ssize_t done = fails_now ? -1 : __real_write(fd, bytes, most);
    int error = errno;
    if (done > 0) record('W', id_of_fd[fd], (uint64_t)at, (uint32_t)done, bytes);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
    if (fd < 0 || fd >= FDS || !id_of_fd[fd]) return __real_pwrite64(fd, bytes, length, at);
    pthread_mutex_lock(&lock);
    size_t most = allowed(length);
    int fails_now = (length > 0 && most == 0) || full(most) || over_quota(most);
    ssize_t done = fails_now ? -1 : __real_pwrite64(fd, bytes, most, at);
    int error = errno;
    if (done > 0) record('W', id_of_fd[fd], (uint64_t)at, (uint32_t)done, bytes);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

int __wrap_ftruncate64(int fd, off64_t size) {
    if (fd < 0 || fd >= FDS || !id_of_fd[fd]) return __real_ftruncate64(fd, size);
    pthread_mutex_lock(&lock);
    int done = fails(TRUNCATE) ? -1 : __real_ftruncate64(fd, size);
    int error = errno;
    if (done == 0) record('T', id_of_fd[fd], (uint64_t)size, 0, NULL);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

/* Returns whether a flush may be the one that fails. With the kinds `sync` and `slow` only flushes
 * of the database count, because another thread flushes the search index at any time. */
static int flush_counts(int fd) {
    return !(is_kind("sync") || is_kind("slow")) || is_database[fd];
}

static int sync_with(int fd, int (*sync)(int)) {
    if (fd < 0 || fd >= FDS || !id_of_fd[fd]) return sync(fd);
    pthread_mutex_lock(&lock);
    uint32_t file = id_of_fd[fd], mine = ++token;
    record('B', file, mine, 0, NULL);
    int fails_now = flush_counts(fd) && fails(SYNC);
    pthread_mutex_unlock(&lock);
    if (fails_now) errno = EIO;
    int done = fails_now ? -1 : sync(fd);
    int error = errno;
    pthread_mutex_lock(&lock);
    if (done == 0) record('E', file, mine, 0, NULL);
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

int __wrap_fsync(int fd) { return sync_with(fd, __real_fsync); }
int __wrap_fdatasync(int fd) { return sync_with(fd, __real_fdatasync); }

int __wrap_unlink(const char *path) {
    if (!ours(path)) return __real_unlink(path);
    struct stat before;
    pthread_mutex_lock(&lock);
    int counts = quota && access(quota, F_OK) == 0 && strstr(path, "/reserve/");
    long long size = counts && stat(path, &before) == 0 ? (long long)before.st_size : 0;
    int done = __real_unlink(path);
    int error = errno;
    if (done == 0) {
        deleted += size;
        record('U', 0, 0, (uint32_t)strlen(path), path);
        for (uint32_t n = ids; n > 0; n--)
            if (path_of_id[n] && strcmp(path_of_id[n], path) == 0) {
                free(path_of_id[n]);
                path_of_id[n] = NULL;
            }
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}
