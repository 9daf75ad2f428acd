import OfflineCore
import Simulation
import Base
import Testing

@Suite("Link recordings")
struct LinkTraceTests {
    @Test("A row is valid until the next; round trips stay, losses do not")
    func rows() throws {
        let trace = try LinkTrace(
            csv: Self.csv("0,1,40,0.25,,", "5000,0,,,,off", "8500,1,,,,", "9000,1,,,,end"))
        #expect(trace.rows.map(\.isUp) == [true, false, true])
        #expect(trace.rows.map(\.roundTrip) == [.milliseconds(40), .milliseconds(40), .milliseconds(40)])
        #expect(trace.rows.map(\.lossPerMille) == [250, 0, 0])
        #expect(trace.end == Instant(nanoseconds: 9_000_000_000))
        #expect(trace.outages.total == .milliseconds(3_500))
    }

    @Test("The time of a complete HTTP call is three round trips; of a ping it is one")
    func calls() throws {
        let trace = try LinkTrace(csv: Self.csv("0,1,1950,,,http=200", "5000,1,1950,,,LTE", "9000,1,,,,end"))
        #expect(trace.rows.map(\.roundTrip) == [.milliseconds(650), .milliseconds(1_950)])
    }

    @Test("Without an end row the last row ends the recording; rows that go on being down are one outage")
    func end() throws {
        let trace = try LinkTrace(csv: Self.csv("0,1,,,,", "1000,0,,,,", "2000,0,,,,", "4000,0,,,,"))
        #expect(trace.outages.all.count == 1)
        #expect(trace.outages.total == .seconds(3))
    }

    @Test(
        "A malformed row is reported with its line",
        arguments: [
            ("", LinkTraceError.noHeader), ("\u{1F}\u{8B}x", .noHeader),
            (csv("0,2,,,,"), .malformed(line: 2)),
            (csv("0,1,,,,", "x,1,,,,"), .malformed(line: 3)), (csv("0,1,nan,,,"), .malformed(line: 2)),
            (csv("0,1,,1.5,,"), .malformed(line: 2)), (csv("0,1,,"), .malformed(line: 2)),
            (csv("9223372036854775807,1,,,,"), .malformed(line: 2)),
            (csv("5,1,,,,", "4,1,,,,"), .backwards(line: 3)), (csv(), .empty), (csv("0,1,,,,"), .empty),
        ])
    func refusals(text: String, error: LinkTraceError) {
        #expect(throws: error) { try LinkTrace(csv: text) }
    }

    static func csv(_ rows: String...) -> String {
        ([LinkTrace.header] + rows).joined(separator: "\n") + "\n"
    }
}
