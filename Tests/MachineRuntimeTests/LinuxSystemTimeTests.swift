import Base
import LinuxRuntime
import MachineRuntime
import Testing

@Suite("Linux system time")
struct LinuxSystemTimeTests {
    @Test("the monotonic clock advances, the wall clock is of this century")
    func clocks() {
        let time = LinuxSystemTime()
        let first = time.now()
        #expect(time.now() >= first)
        #expect(time.wallMilliseconds() > 1_600_000_000_000)
        #expect(time.suspended() >= .zero)
    }

    @Test(
        "a moment has the same wall time at every call",
        arguments: [LinuxSystemTime.Clock.awake, .withSuspension])
    func sameMoment(_ clock: LinuxSystemTime.Clock) {
        let time = LinuxSystemTime(clock)
        let moment = time.now()
        let shown = Set((0..<100_000).map { _ in time.wallMilliseconds(of: moment) })
        #expect(shown.count == 1)
        #expect(abs((shown.first ?? 0) - time.wallMilliseconds()) < 60_000)
    }

    @Test("without a suspension the suspended time does not grow")
    func suspended() {
        let time = LinuxSystemTime()
        let first = time.suspended()
        let second = time.suspended()
        #expect(second - first < .milliseconds(100) && first - second < .milliseconds(100))
    }
}
