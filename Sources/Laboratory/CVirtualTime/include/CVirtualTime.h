#pragma once

/* A process of one thread in virtual time. Once begun, the functions of the C library and of libdispatch by which
   a program gets the time, random bytes, another thread or a wait are those of CVirtualTime.c: the time moves only
   when the program waits, random bytes come from the seed, and what would run on another thread runs on this one,
   in order. Whoever calls those functions, the product, Swift's runtime, Foundation, GRDB or BoringSSL, is not changed. */

#include <stdint.h>
#include <sys/types.h>

/* Begins virtual time in this process, which has no other thread. There is no way back.
   `wall`: nanoseconds since 1970 that the real-time clock shows first. */
void virtual_time_begin(uint64_t seed, int64_t wall);

/* Nanoseconds since the beginning. */
int64_t virtual_time_passed(void);

/* How many waits have ended, timers and work of other threads: what a run's work is counted in. */
uint64_t virtual_time_steps(void);

/* Called once when nothing is left that could ever happen. It must not return. */
void virtual_time_on_standstill(void (*body)(void));

/* Starts this program again, once, with hashes and addresses that are the same in each run. */
void virtual_time_fix_process(char *const arguments[]);

/* Ends this process with SIGXCPU when it has used so many seconds of a processor: how many real ones those are depends
   on what else the machine does. */
void virtual_time_limit(unsigned seconds);

/* From now on calls that write below `folder` fail with ENOSPC, or, where `error` is EIO, those that make
   anything durable there. NULL: none fails. */
void virtual_time_fail_writes(const char *folder, int error);

/* A write to a file that no sync of it has made durable yet. */
struct virtual_time_write {
    int64_t offset;
    /* Of the file before it. */
    int64_t size_before;
    /* What lay there before; fewer than were written where the file became longer. */
    const uint8_t *before;
    size_t before_count;
    const uint8_t *bytes;
    size_t count;
    /* The file ends at `offset` since, and `before` is what was behind it. */
    int is_end;
};

/* The writes of the file at `path` since its last sync, in their order; `room` of them are put into `writes`, as long
   as nothing writes. Returns how many there are. */
size_t virtual_time_unsynced(const char *path, struct virtual_time_write *writes, size_t room);

/* All of that file is durable now. */
void virtual_time_synced(const char *path);

/* `body` is called with the path of a file before each write and each sync of it; not for what `body` writes itself. */
void virtual_time_before_writes(void (*body)(const char *path));

/* fork(2), which Swift does not import: a world is a process of its own. */
pid_t virtual_time_fork(void);

/* How many processors this process may use. */
int virtual_time_processors(void);
