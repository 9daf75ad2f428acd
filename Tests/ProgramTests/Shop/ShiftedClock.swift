import Foundation
import TestKit

/// A wall clock that is wrong, for one program: a small library that is loaded before the others and shifts
/// the time of day that the system reports.
struct ShiftedClock {
    /// The library.
    private let path: String

    static let compiler = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang", "/opt/swift/usr/bin/clang"].first
    {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>

        static long shift(void) {
            const char *text = getenv("TEST_CLOCK_SHIFT_SECONDS");
            return text ? atol(text) : 0;
        }

        static long later(void) {
            const char *text = getenv("TEST_CLOCK_LATER_SECONDS");
            return text ? atol(text) : 0;
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
            int code = real(clock, time);
            int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
            if (code == 0 && is_wall) time->tv_sec += shift() + later();
            if (code == 0 && clock == CLOCK_BOOTTIME) time->tv_sec += later();
            return code;
        }

        int gettimeofday(struct timeval *time, void *zone) {
            struct timespec now;
            (void)zone;
            if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *out) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (out) *out = now.tv_sec;
            return now.tv_sec;
        }
        """

    init(in folder: TemporaryFolder) throws {
        path = folder.path("clock.so")
        let file = folder.path("clock.c")
        try Self.source.write(toFile: file, atomically: true, encoding: .utf8)
        try Command.run([Self.compiler ?? "/usr/bin/cc", "-shared", "-fPIC", "-o", path, file, "-ldl"])
    }

    /// The settings of a program that runs so much later on the same computer, which was suspended meanwhile.
    func settings(later seconds: Int) -> ShopSettings {
        ["LD_PRELOAD": path, "TEST_CLOCK_LATER_SECONDS": String(seconds)]
    }

    /// The settings of a program whose clock is `seconds` ahead of the true time, or behind it.
    func settings(shiftedBy seconds: Int) -> ShopSettings {
        ["LD_PRELOAD": path, "TEST_CLOCK_SHIFT_SECONDS": String(seconds)]
    }
}
