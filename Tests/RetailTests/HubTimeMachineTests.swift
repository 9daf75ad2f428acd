import OfflineMode
import Retail
import Testing

/// Timelines of minutes. The clocks of hub and computer agree at the start; a column is one response of the
/// hub, a minute after the one before.
@Suite("Which time of the hub is followed")
struct HubTimeMachineTests {
    private static let noon: Int64 = 1_795_262_400_000
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 60 * minute
    private static let day: Int64 = 24 * hour

    /// Half an hour of the same.
    private static func thirty(_ column: Character) -> String { String(repeating: column, count: 30) }

    /// A till, its hub and a person in one timeline.
    private struct Till {
        var machine = HubTimeMachine()
        /// How far the two clocks are ahead of the true time.
        var hub: Int64 = 0
        var wall: Int64 = 0
        private var passed: Int64 = 0
        private var bootedAt: Int64 = -HubTimeMachineTests.hour
        private var boot = "a"
        var kept: KnownHubTime?
        private let calendar: BusinessCalendar

        init() throws {
            calendar = try #require(BusinessCalendar(timeZone: "UTC"))
        }

        var now: MachineMoment {
            MachineMoment(
                wall: HubTimeMachineTests.noon + passed + wall, boot: passed - bootedAt, bootId: boot)
        }

        mutating func wait(_ milliseconds: Int64) { passed += milliseconds }

        mutating func respond() {
            let time = HubTimeMachineTests.noon + passed + hub
            for case .keep(let known) in machine.handle(.received(time, calendar: calendar), at: now) {
                kept = known
            }
        }

        /// The agent starts again, on a computer that was switched off for `off` or runs on (nil).
        mutating func restart(afterReboot off: Int64?) {
            if let off {
                passed += off
                bootedAt = passed
                boot += "b"
            }
            machine = HubTimeMachine()
            _ = machine.handle(.started(kept), at: now)
        }

        /// How far the followed time is off the true one; nil: none is followed.
        var off: Int64? {
            machine.milliseconds(at: now).map { $0 - HubTimeMachineTests.noon - passed }
        }

        var storeIsOff: Int64 {
            machine.storeMilliseconds(at: now) - HubTimeMachineTests.noon - passed
        }

        /// One response a minute: `o` right, `+` two days ahead, `-` a day back, `h` an hour ahead, `.` none.
        /// Draws what is followed: `o` the true time, `h` an hour ahead, `x` another; `O` and `H` while a
        /// leap is put aside.
        mutating func play(_ columns: String) -> String {
            String(
                columns.map { column -> Character in
                    wait(HubTimeMachineTests.minute)
                    switch column {
                    case "o": hub = 0
                    case "+": hub = 2 * HubTimeMachineTests.day
                    case "-": hub = -HubTimeMachineTests.day
                    case "h": hub = HubTimeMachineTests.hour
                    default: break
                    }
                    if column != "." { respond() }
                    var isAside = false
                    if case .hubLeapt = machine.comparison(at: now) { isAside = true }
                    switch off {
                    case 0?: return isAside ? "O" : "o"
                    case HubTimeMachineTests.hour?: return isAside ? "H" : "h"
                    case _: return "x"
                    }
                })
        }
    }

    @Test("a leap is put aside, and the next response that agrees with the former time ends it")
    func leap() throws {
        var till = try Till()
        #expect(till.play("oo+++++o.o") == "ooOOOOOooo")
        // For as long as it is two days: a person is needed.
        let long = till.play(Self.thirty("+"))
        #expect(long == Self.thirty("O"))
        #expect(till.machine.comparison(at: till.now).refusedDifference == nil)
        #expect(till.play(".....o") == "OOOOOo")
    }

    @Test("a new time is followed once all responses of ten minutes agree with it, within a business day")
    func adopted() throws {
        var till = try Till()
        #expect(till.play("ohhhhhhhhhhh") == "oOOOOOOOOOOh")
        #expect(!till.machine.comparison(at: till.now).isRefusing)
        // The right time agrees with the wall clock.
        #expect(till.play("oo") == "oo")
        // One response of the former time begins the ten minutes anew.
        #expect(till.play("hhhhhohhhhhhhhhhh") == "OOOOOoOOOOOOOOOOh")
        // Two responses are too few, however far they are apart.
        var quiet = try Till()
        #expect(quiet.play("oh..............h.h") == "oOOOOOOOOOOOOOOOOOh")
    }

    @Test("the business day never goes back, nor on by more than a day, before a person sets the clock")
    func days() throws {
        var till = try Till()
        #expect(till.play("o") == "o")
        let back = till.play(Self.thirty("-"))
        #expect(back == Self.thirty("O"))
        till.wall = -Self.day
        #expect(till.play("-") == "x")
        #expect(till.off == -Self.day)
        var ahead = try Till()
        #expect(ahead.play("o") == "o")
        let forward = ahead.play(Self.thirty("+"))
        #expect(forward == Self.thirty("O"))
        ahead.wall = 2 * Self.day
        #expect(ahead.play("+") == "x")
        #expect(ahead.off == 2 * Self.day)
        #expect(ahead.machine.comparison(at: ahead.now).difference == nil)
    }

    @Test("a wall clock that is wrong or set changes nothing of the time that is followed")
    func wallClock() throws {
        var till = try Till()
        _ = till.play("o")
        for wrong in [Self.hour, -Self.hour, 365 * Self.day, 121_000] {
            till.wall = wrong
            #expect(till.play(".o") == "oo")
            #expect(till.storeIsOff == 0)
            #expect(till.machine.comparison(at: till.now).difference == -wrong)
        }
        #expect(till.machine.comparison(at: till.now).refusedDifference == nil)
        till.wall = 26 * Self.hour
        #expect(till.machine.comparison(at: till.now).refusedDifference == -26 * Self.hour)
        till.wall = 119_000
        #expect(till.machine.comparison(at: till.now).word == "agrees")
        // The finer clock is used where the two cannot be distinguished.
        till.wall = 1_500
        #expect(till.storeIsOff == 1_500)
    }

    @Test("a slow response does not move the time back")
    func slowResponse() throws {
        var till = try Till()
        _ = till.play("o")
        till.hub = -1_900
        till.respond()
        #expect(till.off == 0)
        till.hub = 900
        till.respond()
        #expect(till.off == 900)
        till.hub = -5_000
        till.respond()
        #expect(till.off == -5_000)
    }

    @Test("an agent that starts again on a running computer goes on with the time; the first leap is one")
    func agentRestart() throws {
        var till = try Till()
        _ = till.play("o")
        till.wall = 365 * Self.day
        till.restart(afterReboot: nil)
        #expect(till.storeIsOff == 0)
        // Offline nothing is refused before a response of this run.
        #expect(till.machine.comparison(at: till.now).refusedDifference == nil)
        #expect(till.play("+o") == "Oo")
        #expect(till.machine.comparison(at: till.now).refusedDifference != nil)
    }

    @Test("after a reboot the first time is compared with the last known one and the time since the boot")
    func reboot() throws {
        func restarted(off: Int64, wall: Int64) throws -> Till {
            var till = try Till()
            _ = till.play("o")
            till.wall = wall
            till.restart(afterReboot: off)
            return till
        }
        // A battery that died: the wall clock is before what is certain, also while the hub is away.
        var dead = try restarted(off: 12 * Self.hour, wall: -20_000 * Self.day)
        #expect(dead.storeIsOff == -12 * Self.hour)
        #expect(dead.machine.comparison(at: dead.now).word == "unconfirmed")
        #expect(dead.play("o") == "o")
        // A date a year ahead, without the hub and with it.
        var ahead = try restarted(off: 12 * Self.hour, wall: 365 * Self.day)
        #expect(ahead.storeIsOff == 365 * Self.day)
        #expect(ahead.machine.comparison(at: ahead.now).word == "unconfirmed")
        #expect(ahead.play("o") == "o")
        #expect(ahead.storeIsOff == 0)
        // A right clock after a weekend, and a hub that is two days ahead or a week back.
        var monday = try restarted(off: 60 * Self.hour, wall: 0)
        #expect(monday.machine.comparison(at: monday.now).word == "unknown")
        #expect(monday.play("+") == "x")
        #expect(monday.storeIsOff == 0)
        monday.hub = -7 * Self.day
        monday.respond()
        #expect(monday.storeIsOff == 0)
        #expect(monday.play("o") == "o")
        // A clock that stood while the computer was off for a night.
        var slow = try restarted(off: 14 * Self.hour, wall: -14 * Self.hour)
        #expect(slow.play("o") == "o")
    }

    @Test("the time is kept at once when it is new, and once an hour")
    func kept() throws {
        var till = try Till()
        _ = till.play("o")
        let first = till.kept
        #expect(first?.hub == Self.noon + Self.minute)
        _ = till.play("oooo")
        #expect(till.kept == first)
        till.wait(Self.hour)
        _ = till.play("o")
        #expect(till.kept != first)
    }

    @Test("people read a difference to the nearest minute, so that three days are no two and no 71 hours")
    func roundedDifference() {
        let days = 3 * 24 * Self.hour
        for difference in [days - 14, days, days + 29_999, -days + 14] {
            #expect(ClockComparison.rounded(difference).magnitude == days.magnitude)
        }
        #expect(ClockComparison.rounded(-days + 14) < 0)
        for small in [0, 14, -1_500, 120_000] as [Int64] { #expect(ClockComparison.rounded(small) == small) }
        for absurd in [Int64.max, Int64.min] {
            #expect(ClockComparison.rounded(absurd).magnitude > days.magnitude)
        }
    }

    @Test("absurd times and moments trap nowhere")
    func absurd() throws {
        var till = try Till()
        _ = till.play("o")
        for hub in [Int64.max / 4, Int64.min / 4, -Self.noon] {
            till.hub = hub
            till.respond()
            #expect(till.off == 0)
            _ = till.machine.comparison(at: till.now)
        }
    }
}

extension ClockComparison {
    fileprivate var isRefusing: Bool { refusedDifference != nil }
}
