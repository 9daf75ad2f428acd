import Base
import Testing

@testable import OfflineCore

@Suite("Response window")
struct ResponseWindowTests {
    @Test("A response counts once, in whatever order the responses come")
    func once() {
        #expect(booked([3, 1, 2, 7, 5, 4, 6]) == [true, true, true, true, true, true, true])
        #expect(
            booked([3, 1, 3, 1, 2, 2, 7, 3, 7]) == [
                true, true, false, false, true, false, true, false, false,
            ])
    }

    @Test("Sixty-three probes back is inside the window, one more is too late")
    func edge() {
        #expect(booked([100, 37, 36]) == [true, true, false])
        #expect(booked([100, 1_000, 100]) == [true, true, false])
        #expect(booked([.max, .max - 63, .max - 64]) == [true, true, false])
    }

    private func booked(_ sequences: [UInt64]) -> [Bool] {
        var window = ResponseWindow()
        return sequences.map { window.book($0) }
    }
}

/// A timeline holds one character a second: `p` sends a probe, `e` begins a path id, `r` makes the network
/// reachable. A digit reports the result of the probe with this number; below it stands what it is:
/// `f` counts and is fresh, `o` counts and is old, `.` does not count.
@Suite("Probe numbers")
struct ProbeNumbersTests {
    @Test(
        "a result counts once, within its path id, and is old once the network became reachable after it",
        arguments: [
            ("p1", " f"),
            ("p11", " f."),
            ("pp21", "  ff"),
            ("pp2121", "  ff.."),
            ("pe1", "  ."),
            ("pep12", "   .f"),
            ("pr1", "  o"),
            ("prp12", "   of"),
            ("perp12", "    .f"),
            ("p1r1", " f ."),
            ("prep2", "    f"),
        ])
    func timeline(_ events: String, _ expected: String) {
        let start = Instant(nanoseconds: 0)
        var numbers = ProbeNumbers(at: start)
        var sent: [ProbeTag] = []
        var drawn = ""
        for (second, event) in events.enumerated() {
            var result: Character = " "
            switch event {
            case "p": sent.append(numbers.next())
            case "e": numbers.beginEpoch(at: start + .seconds(second))
            case "r": numbers.becameReachable(trailingProbe: nil)
            default:
                let tag = sent[(event.wholeNumberValue ?? 1) - 1]
                result = numbers.counts(tag) ? (numbers.isFresh(tag) ? "f" : "o") : "."
            }
            drawn.append(result)
        }
        #expect(drawn == expected)
    }

    @Test("a pending probe stays fresh when the network becomes reachable before its result")
    func trailingProbe() {
        var numbers = ProbeNumbers(at: Instant(nanoseconds: 0))
        let tags = (0..<3).map { _ in numbers.next() }
        numbers.becameReachable(trailingProbe: tags[1].sequence)
        #expect(tags.map(numbers.isFresh) == [false, true, true])
    }

    @Test("what began at the start of the path id belongs to it, what began a nanosecond before does not")
    func pathId() {
        let start = Instant(nanoseconds: 5)
        var numbers = ProbeNumbers(at: Instant(nanoseconds: 0))
        numbers.beginEpoch(at: start)
        #expect(numbers.includes(start))
        #expect(!numbers.includes(Instant(nanoseconds: 4)))
    }
}
