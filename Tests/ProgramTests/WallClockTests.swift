import HubProtocol
import Base
import FaultRelay
import Foundation
import TestKit
import Testing

/// The agent under a wall clock that is set as it runs, while the monotonic one goes on.
@Suite(
    "A wall clock that is set", .onStage, .serialized,
    .enabled(if: SteppedClock.obstacle == nil, "\(SteppedClock.obstacle ?? "")"))
struct WallClockTests {
    @Test("A clock set forth and back by a day switches nothing, and every sale arrives once")
    func byADay() throws {
        let shop = try ShopUnderTest(.relay)
        let clock = try SteppedClock(in: shop.folder)
        try shop.startAgent(with: clock.settings)
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        var count: Int64 = 0
        for days in [1, -1, 0] {
            try clock.set(byDays: days)
            #expect(try sales.sell(SaleRequests.piece()).mode == "online")
            count += 1
            let ahead = try #require(try shop.document("status")["clock"]?["hubAheadMs"]?.integer)
            #expect(
                abs(ahead + Int64(days) * 86_400_000) < 60_000,
                "the agent does not see the clock that is set: \(ahead)")
            try shop.staysOnline(for: 4)
        }
        #expect(try shop.document("history")["periods"]?.array == [])
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        let audit = try shop.audit()
        #expect(audit.orders == count)
        #expect(audit.isComplete)
    }

    @Test("A clock set while offline makes the period in the history no longer")
    func history() throws {
        let shop = try ShopUnderTest(.relay)
        let clock = try SteppedClock(in: shop.folder)
        try shop.startAgent(with: clock.settings)
        try shop.waitUntilReachable()
        _ = try shop.document("offline", "on")
        try clock.set(byDays: 30)
        _ = try shop.document("offline", "off")
        var ends: (start: Int64, end: Int64)?
        try shop.waitUntil("the period's end", within: 10) { _ in
            guard let period = try shop.document("history")["periods"]?.array?.first,
                let start = period["start"]?.string.flatMap({ Timestamp.milliseconds(of: $0) }),
                let end = period["end"]?.string.flatMap({ Timestamp.milliseconds(of: $0) })
            else { return false }
            ends = (start, end)
            return true
        }
        let period = try #require(ends)
        #expect((0...60_000).contains(period.end - period.start))
    }

    @Test("During a suspicion a clock a day ahead switches no sooner than T1, and one a day behind no later")
    func whileInDoubt() throws {
        let shop = try ShopUnderTest(.relay)
        let clock = try SteppedClock(in: shop.folder)
        try shop.startAgent(with: clock.settings)
        try shop.waitUntilReachable()
        for days in [1, -1] {
            shop.relay?.setMode(.silentBlackhole)
            try shop.waitUntil("a doubt", within: 12) { $0.networkState == "suspect" }
            try clock.set(byDays: days)
            let after = try shop.waitUntil("offline", within: 12) { $0.causes.contains("network") }
            #expect(after >= 2)
            shop.relay?.setMode(.open)
            try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        }
    }
}

/// A wall clock that a test sets, for programs that are started with its settings.
///
/// A small library is loaded before the system's and adds a number of seconds to the wall clock,
/// and to that clock alone. (libfaketime moves the environment, in which the Swift runtime looks for the
/// program's arguments.)
private struct SteppedClock {
    /// Why no clock can be set here; nil when one can.
    static let obstacle: String? =
        (try? Command.run(["cc", "--version"])) == nil ? "there is no C compiler for the clock" : nil

    private let library: String
    private let offset: String

    init(in folder: TemporaryFolder) throws {
        library = folder.path("clock.so")
        offset = folder.path("clock.offset")
        try set(byDays: 0)
        let source = folder.path("clock.c")
        try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
        try Command.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
    }

    var settings: ShopSettings { ["LD_PRELOAD": library, "CLOCK_OFFSET_FILE": offset] }

    /// Sets the clock so far beside the true time.
    func set(byDays days: Int) throws {
        try "\(days * 86_400)\n".write(toFile: offset, atomically: true, encoding: .utf8)
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static long offset(void) {
            char text[32] = {0};
            int file = open(getenv("CLOCK_OFFSET_FILE"), O_RDONLY | O_CLOEXEC);
            if (file < 0) return 0;
            if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
            close(file);
            return atol(text);
        }

        int clock_gettime(clockid_t clock, struct timespec *now) {
            static int (*next)(clockid_t, struct timespec *);
            if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
            int code = next(clock, now);
            if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += offset();
            return code;
        }

        int gettimeofday(struct timeval *restrict now, void *restrict zone) {
            struct timespec exact;
            clock_gettime(CLOCK_REALTIME, &exact);
            now->tv_sec = exact.tv_sec;
            now->tv_usec = exact.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *result) {
            struct timespec exact;
            clock_gettime(CLOCK_REALTIME, &exact);
            if (result) *result = exact.tv_sec;
            return exact.tv_sec;
        }
        """
}
