#define _GNU_SOURCE
#include "CVirtualTime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The C library has some of them inside of itself, too: those calls are not caught, and none of them decides. */

static int begun;
static int64_t passed;
static int64_t first_wall;
static uint64_t steps;
static void (*standstill)(void);

/* Clocks that count from the machine's start begin here, so that nothing lies before zero: ten days. */
static const int64_t first_boot = 864000LL * 1000000000LL;
/* A program that polls without a wait must see the time move: a microsecond for each look. */
static const int64_t look = 1000;

/* The real function of that name. */
#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* MARK: Time */

int64_t virtual_time_passed(void) { return passed; }
uint64_t virtual_time_steps(void) { return steps; }
void virtual_time_on_standstill(void (*body)(void)) { standstill = body; }

static int64_t shown(clockid_t clock) {
    int isWall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    return (isWall ? first_wall : first_boot) + passed;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    if (!begun) {
        REAL(clock_gettime);
        return real(clock, result);
    }
    int64_t now = shown(clock);
    result->tv_sec = now / 1000000000;
    result->tv_nsec = now % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

/* MARK: Random bytes */

static uint64_t state;

static uint64_t draw(void) {
    /* SplitMix64. */
    uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static void fill(void *bytes, size_t count) {
    unsigned char *next = bytes;
    while (count > 0) {
        uint64_t word = draw();
        size_t part = count < 8 ? count : 8;
        memcpy(next, &word, part);
        next += part;
        count -= part;
    }
}

long syscall(long number, ...) {
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (begun && number == SYS_getrandom) {
        fill((void *)a[0], (size_t)a[1]);
        return a[1];
    }
    REAL(syscall);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t getrandom(void *bytes, size_t count, unsigned int flags) {
    return syscall(SYS_getrandom, bytes, count, flags);
}

int getentropy(void *bytes, size_t count) {
    return syscall(SYS_getrandom, bytes, count, 0) < 0 ? -1 : 0;
}

/* MARK: Memory */

/* A buffer of Swift has as many bytes as malloc has given, a key of swift-crypto takes so many random ones, and how
   many that are follows from what was freed before. Here a piece has as many as were requested, in each run: its
   size lies before it, with how far the C library's own piece begins before that. Since the program starts, so that
   every piece has it. */
struct piece {
    size_t size;
    size_t offset;
};

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
extern void *__libc_memalign(size_t, size_t);

static void *with_size(void *place, size_t offset, size_t size) {
    if (!place) return NULL;
    struct piece *piece = (struct piece *)((char *)place + offset) - 1;
    *piece = (struct piece){.size = size, .offset = offset};
    return piece + 1;
}

static void *too_large(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) {
    if (size > PTRDIFF_MAX / 2) return too_large();
    return with_size(__libc_malloc(size + sizeof(struct piece)), sizeof(struct piece), size);
}

void free(void *place) {
    if (place) __libc_free((char *)place - ((struct piece *)place - 1)->offset);
}

size_t malloc_usable_size(void *place) { return place ? ((struct piece *)place - 1)->size : 0; }

void *calloc(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return too_large();
    void *place = malloc(all);
    return place ? memset(place, 0, all) : NULL;
}

void *realloc(void *place, size_t size) {
    void *other = malloc(size);
    if (!other || !place) return other;
    size_t before = malloc_usable_size(place);
    memcpy(other, place, before < size ? before : size);
    free(place);
    return other;
}

void *memalign(size_t alignment, size_t size) {
    if (size > PTRDIFF_MAX / 2 || alignment > PTRDIFF_MAX / 4) return too_large();
    size_t offset = alignment < sizeof(struct piece) ? sizeof(struct piece) : alignment;
    return with_size(__libc_memalign(offset, size + offset), offset, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
void *valloc(size_t size) { return memalign(4096, size); }
void *pvalloc(size_t size) { return memalign(4096, (size + 4095) / 4096 * 4096); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *place = memalign(alignment, size);
    if (!place) return ENOMEM;
    *result = place;
    return 0;
}

/* MARK: Work that another thread would do */

typedef void *block;
extern block _Block_copy(const void *);
extern void _Block_release(const void *);

/* A block on a queue, or a function with its argument: of a queue, or of a thread where that is null. */
struct work {
    void *queue;
    block block;
    void (*function)(void *);
    void *argument;
    int64_t due;
};

struct list {
    struct work *items;
    size_t count, room;
};

static struct list waiting, later;

void dispatch_sync(void *queue, block body);
void dispatch_sync_f(void *queue, void *argument, void (*function)(void *));
uint64_t dispatch_time(uint64_t when, int64_t delta);

static void append(struct list *list, struct work work) {
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->items = realloc(list->items, list->room * sizeof(struct work));
        if (!list->items) abort();
    }
    list->items[list->count++] = work;
}

static struct work removed(struct list *list, size_t index) {
    struct work work = list->items[index];
    list->count--;
    memmove(&list->items[index], &list->items[index + 1], (list->count - index) * sizeof(struct work));
    return work;
}

static void sync_block(void *queue, block body) {
    REAL(dispatch_sync);
    real(queue, body);
}

static void sync_function(void *queue, void *argument, void (*function)(void *)) {
    REAL(dispatch_sync_f);
    real(queue, argument, function);
}

static void perform(struct work work) {
    steps++;
    if (work.block) {
        sync_block(work.queue, work.block);
        _Block_release(work.block);
    } else if (work.queue) {
        sync_function(work.queue, work.argument, work.function);
    } else {
        work.function(work.argument);
    }
}

/* What was queued before a call that waits for a queue runs before it. */
static void drain(void *queue) {
    for (size_t i = 0; i < waiting.count;) {
        if (waiting.items[i].queue == queue) perform(removed(&waiting, i)); else i++;
    }
}

#define ASYNCHRONOUS_BLOCK(name) \
    void name(void *queue, block body) { \
        if (!begun) { \
            REAL(name); \
            return real(queue, body); \
        } \
        append(&waiting, (struct work){.queue = queue, .block = _Block_copy(body)}); \
    }

ASYNCHRONOUS_BLOCK(dispatch_async)
ASYNCHRONOUS_BLOCK(dispatch_barrier_async)

#define SYNCHRONOUS_BLOCK(name) \
    void name(void *queue, block body) { \
        REAL(name); \
        if (begun) drain(queue); \
        real(queue, body); \
    }

SYNCHRONOUS_BLOCK(dispatch_sync)
SYNCHRONOUS_BLOCK(dispatch_barrier_sync)

void dispatch_async_f(void *queue, void *argument, void (*function)(void *)) {
    if (!begun) {
        REAL(dispatch_async_f);
        return real(queue, argument, function);
    }
    append(&waiting, (struct work){.queue = queue, .function = function, .argument = argument});
}

void dispatch_after(uint64_t when, void *queue, block body) {
    if (!begun) {
        REAL(dispatch_after);
        return real(when, queue, body);
    }
    int64_t delay = (int64_t)(when - dispatch_time(0, 0));
    append(&later, (struct work){
        .queue = queue, .block = _Block_copy(body), .due = passed + (delay > 0 ? delay : 0)});
}

/* A pool of connections lets so many of them work at a time and blocks the thread of the next one until another
   thread is done. Here that thread is the same: the limit is put out of reach. */
void *dispatch_semaphore_create(intptr_t value) {
    REAL(dispatch_semaphore_create);
    return real(begun && value > 1 ? 1000 : value);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (!begun) {
        REAL(pthread_create);
        return real(thread, attributes, body, argument);
    }
    *thread = 0;
    /* libdispatch's own workers have nothing to do here but to free what a queue had that is gone. */
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libdispatch")) return 0;
    append(&waiting, (struct work){.function = (void (*)(void *))body, .argument = argument});
    return 0;
}

int pthread_detach(pthread_t thread) {
    if (begun) return 0;
    REAL(pthread_detach);
    return real(thread);
}

int pthread_join(pthread_t thread, void **result) {
    if (begun) return 0;
    REAL(pthread_join);
    return real(thread, result);
}

int setpriority(__priority_which_t which, id_t who, int value) {
    if (begun) return 0;
    REAL(setpriority);
    return real(which, who, value);
}

/* MARK: Waits */

/* The timers that the event loop has: a timerfd of each clock, by its number. */
struct timer {
    int64_t due;
    int isSet;
    uint64_t data;
};

#define DESCRIPTORS 4096
static struct timer timers[DESCRIPTORS];
static int highest;

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *before
) {
    if (!begun) {
        REAL(timerfd_settime);
        return real(descriptor, flags, setting, before);
    }
    if (descriptor >= DESCRIPTORS) abort();
    struct timer *timer = &timers[descriptor];
    int64_t value = setting->it_value.tv_sec * 1000000000LL + setting->it_value.tv_nsec;
    timer->isSet = value != 0;
    timer->due = (flags & TFD_TIMER_ABSTIME) ? value - first_boot : passed + value;
    if (descriptor > highest) highest = descriptor;
    return 0;
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
    if (event && descriptor < DESCRIPTORS) timers[descriptor].data = event->data.u64;
    REAL(epoll_ctl);
    return real(epoll, operation, descriptor, event);
}

/* The earliest timer; -1 without one. */
static int earliest_timer(void) {
    int found = -1;
    for (int i = 0; i <= highest; i++) {
        if (timers[i].isSet && (found < 0 || timers[i].due < timers[found].due)) found = i;
    }
    return found;
}

static int earliest_later(void) {
    int found = -1;
    for (size_t i = 0; i < later.count; i++) {
        if (found < 0 || later.items[i].due < later.items[found].due) found = (int)i;
    }
    return found;
}

/* The one place where the time moves: to the earliest moment at which something is due. */
int epoll_wait(int epoll, struct epoll_event *events, int maximum, int timeout) {
    if (!begun) {
        REAL(epoll_wait);
        return real(epoll, events, maximum, timeout);
    }
    if (waiting.count > 0) {
        while (waiting.count > 0) perform(removed(&waiting, 0));
        return 0;
    }
    if (timeout == 0) {
        passed += look;
        return 0;
    }
    int timer = earliest_timer(), work = earliest_later();
    if (timer < 0 && work < 0) {
        if (standstill) standstill();
        _exit(70);
    }
    steps++;
    if (timer < 0 || (work >= 0 && later.items[work].due < timers[timer].due)) {
        struct work due = removed(&later, (size_t)work);
        if (due.due > passed) passed = due.due;
        append(&waiting, due);
        return 0;
    }
    if (timers[timer].due > passed) passed = timers[timer].due;
    timers[timer].isSet = 0;
    events[0].events = EPOLLIN;
    events[0].data.u64 = timers[timer].data;
    return 1;
}

/* MARK: A disk that cannot be written */

static char failing_folder[4096];
static int failing_error;

void virtual_time_fail_writes(const char *folder, int error) {
    failing_folder[0] = 0;
    failing_error = error;
    if (folder && strlen(folder) < sizeof failing_folder) strcpy(failing_folder, folder);
}

/* Whether calls on that file fail now. */
static int fails(int descriptor) {
    if (!failing_folder[0]) return 0;
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    size_t folder = strlen(failing_folder);
    return strncmp(path, failing_folder, folder) == 0 && (path[folder] == '/' || path[folder] == 0);
}

/* A full disk takes no byte more; one with errors takes them, and does not make them durable. */
#define FAIL_IF(condition) \
    if ((condition) && fails(descriptor)) { \
        errno = failing_error; \
        return -1; \
    }


/* MARK: What a power cut would lose */

/* Writes to files since the last sync of each, all files together, in their order. */
struct unsynced {
    dev_t device;
    ino_t inode;
    struct virtual_time_write write;
};

static struct {
    struct unsynced *items;
    size_t count, room;
} unsynced;

/* More than any commit writes: what came before so many others the system has written back by then. */
static const size_t most_unsynced = 8192;

static void drop(size_t from, size_t to, int all, dev_t device, ino_t inode) {
    size_t kept = from;
    for (size_t i = from; i < unsynced.count; i++) {
        struct unsynced *item = &unsynced.items[i];
        if (i < to && (all || (item->device == device && item->inode == inode))) {
            free((void *)item->write.before);
            free((void *)item->write.bytes);
        } else {
            unsynced.items[kept++] = *item;
        }
    }
    unsynced.count = kept;
}

static void synced(const struct stat *file) { drop(0, unsynced.count, 0, file->st_dev, file->st_ino); }

/* What lies in a file from `offset` on. */
static uint8_t *content(int descriptor, size_t count, off64_t offset) {
    uint8_t *bytes = malloc(count ? count : 1);
    size_t have = 0;
    while (bytes && have < count) {
        ssize_t part = pread64(descriptor, bytes + have, count - have, offset + (off64_t)have);
        if (part <= 0) {
            free(bytes);
            return NULL;
        }
        have += (size_t)part;
    }
    return bytes;
}

/* A write that is about to be done. Of what is no file, and of a descriptor that cannot be read: none. */
static int about_to_write(int descriptor, off64_t offset, size_t count, struct unsynced *item) {
    struct stat file;
    if (!begun || fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
    size_t before = offset >= file.st_size ? 0 : (size_t)(file.st_size - offset);
    if (before > count) before = count;
    *item = (struct unsynced){
        .device = file.st_dev, .inode = file.st_ino,
        .write = {
            .offset = offset, .size_before = file.st_size, .before_count = before,
            .before = content(descriptor, before, offset)}};
    return item->write.before != NULL;
}

static void written(struct unsynced *item, const void *bytes, ssize_t count) {
    uint8_t *copy = count >= 0 ? malloc(count ? (size_t)count : 1) : NULL;
    if (!copy) return free((void *)item->write.before);
    memcpy(copy, bytes, (size_t)count);
    item->write.bytes = copy;
    item->write.count = (size_t)count;
    if (unsynced.count == unsynced.room) {
        if (unsynced.count >= most_unsynced) {
            drop(0, most_unsynced / 2, 1, 0, 0);
        } else {
            unsynced.room = unsynced.room ? unsynced.room * 2 : 256;
            unsynced.items = realloc(unsynced.items, unsynced.room * sizeof(struct unsynced));
            if (!unsynced.items) abort();
        }
    }
    unsynced.items[unsynced.count++] = *item;
}

size_t virtual_time_unsynced(const char *path, struct virtual_time_write *writes, size_t room) {
    struct stat file;
    if (stat(path, &file) != 0) return 0;
    size_t count = 0;
    for (size_t i = 0; i < unsynced.count; i++) {
        struct unsynced *item = &unsynced.items[i];
        if (item->device != file.st_dev || item->inode != file.st_ino) continue;
        if (count < room) writes[count] = item->write;
        count++;
    }
    return count;
}

void virtual_time_synced(const char *path) {
    struct stat file;
    if (stat(path, &file) == 0) synced(&file);
}

static void (*before_write)(const char *path);

void virtual_time_before_writes(void (*body)(const char *path)) { before_write = body; }

/* Whoever looks at writes sees the files as they are before this one. Its own writes it does not see. */
static void show(int descriptor) {
    void (*body)(const char *) = before_write;
    if (!body) return;
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/') return;
    path[length] = 0;
    before_write = NULL;
    body(path);
    before_write = body;
}

#define WRITTEN(call, at) \
    struct unsynced item; \
    show(descriptor); \
    off64_t place = unsynced_place(descriptor, at); \
    int isNoted = about_to_write(descriptor, place, count, &item); \
    ssize_t done = call; \
    int error = errno; \
    if (isNoted) written(&item, bytes, done); \
    errno = error; \
    return done

/* Where a write without a place goes. */
static off64_t unsynced_place(int descriptor, off64_t at) {
    if (at >= 0 || !begun) return at;
    int flags = fcntl(descriptor, F_GETFL);
    struct stat file;
    if (flags >= 0 && (flags & O_APPEND) && fstat(descriptor, &file) == 0) return file.st_size;
    off64_t place = lseek64(descriptor, 0, SEEK_CUR);
    return place < 0 ? 0 : place;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    FAIL_IF(failing_error == ENOSPC)
    REAL(write);
    WRITTEN(real(descriptor, bytes, count), -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    FAIL_IF(failing_error == ENOSPC)
    REAL(pwrite);
    WRITTEN(real(descriptor, bytes, count, offset), offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    FAIL_IF(failing_error == ENOSPC)
    REAL(pwrite64);
    WRITTEN(real(descriptor, bytes, count, offset), offset);
}

/* A file that ends earlier: a write of nothing at its new end, which has the rest before it. */
static int cut_off(int descriptor, off64_t size, int (*real)(int, off64_t)) {
    struct stat file;
    struct unsynced item;
    int isShorter = begun && fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > size;
    int isNoted = isShorter && about_to_write(descriptor, size, (size_t)(file.st_size - size), &item);
    int done = real(descriptor, size);
    int error = errno;
    if (isNoted) {
        item.write.is_end = 1;
        written(&item, "", done == 0 ? 0 : -1);
    }
    errno = error;
    return done;
}

int ftruncate(int descriptor, off_t size) {
    REAL(ftruncate);
    return cut_off(descriptor, size, real);
}

int ftruncate64(int descriptor, off64_t size) {
    REAL(ftruncate64);
    return cut_off(descriptor, size, real);
}

static int made_durable(int descriptor, int done) {
    struct stat file;
    if (begun && done == 0 && fstat(descriptor, &file) == 0) synced(&file);
    return done;
}

int fsync(int descriptor) {
    FAIL_IF(failing_error == EIO)
    show(descriptor);
    REAL(fsync);
    return made_durable(descriptor, real(descriptor));
}

int fdatasync(int descriptor) {
    FAIL_IF(failing_error == EIO)
    show(descriptor);
    REAL(fdatasync);
    return made_durable(descriptor, real(descriptor));
}

/* MARK: The process */

void virtual_time_begin(uint64_t seed, int64_t wall) {
    state = seed * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL;
    first_wall = wall;
    passed = 0;
    begun = 1;
}

void virtual_time_fix_process(char *const arguments[]) {
    static const char *mark = "HOLDFAST_SIM_IS_FIXED";
    if (getenv(mark)) return;
    setenv(mark, "1", 1);
    /* Swift's hashes, and the processor's own random numbers in BoringSSL (bit 62: RDRAND). */
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    setenv("OPENSSL_ia32cap", "~0x4000000000000000", 1);
    setenv("TZ", "UTC", 1);
    personality(ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", arguments);
}

void virtual_time_limit(unsigned seconds) {
    struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds + 10};
    setrlimit(RLIMIT_CPU, &limit);
}

int virtual_time_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

pid_t virtual_time_fork(void) { return fork(); }
