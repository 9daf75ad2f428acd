import AgentAPI
import HubProtocol
import Testing

@testable import Agent

@Suite("The record of pulls")
struct PullRecordTests {
    private static let day: Int64 = 86_400_000

    private func row(_ id: String, at: Int64 = 0) -> SkippedRow {
        SkippedRow(entity: "member", entityId: id, reason: "it is too large", at: at)
    }

    @Test("it comes back from disk as it was kept, and from anything else as never")
    func roundTrip() {
        var record = PullRecord()
        record.succeed(at: 1_795_234_567_123, passingOver: [row("a"), row("b\u{1B}")])
        record.fail("no line", passingOver: [])
        #expect(PullRecord(text: record.text) == record)
        for text in ["", "{", "[]", #"{"lastPullAt":5,"skipped":[{}]}"#] {
            #expect(PullRecord(text: text) == PullRecord())
        }
    }

    @Test("the newest 20 rows are reported, each once, until they come or for a month")
    func skipped() {
        var record = PullRecord()
        record.succeed(at: 1, passingOver: (0..<20).map { row("m\($0)") } + [row("m0")])
        #expect(record.skipped.count == 20)
        #expect(record.skipped.last?.entityId == "m0")
        record.fail("x", passingOver: [row("m20")])
        #expect(record.skipped.count == 20)
        #expect(record.skipped.first?.entityId == "m2")
        let change = Change(
            entity: "member", entityId: "m20", version: 2, isDeleted: false, deletedAt: nil, hlc: "1",
            origin: nil, value: [:])
        record.take([change])
        #expect(!record.skipped.contains { $0.entityId == "m20" })
        record.succeed(at: 30 * Self.day, passingOver: [])
        #expect(record.skipped.count == 19)
        record.succeed(at: 30 * Self.day + 1, passingOver: [])
        #expect(record.skipped.isEmpty)
        #expect(record.problem == nil)
    }

    @Test("the age is counted from the last good pull, never below 0")
    func age() {
        var record = PullRecord()
        #expect(record.document(at: 5).ageMilliseconds == nil)
        record.succeed(at: 1000, passingOver: [])
        #expect(record.document(at: 1500).ageMilliseconds == 500)
        #expect(record.document(at: 0).ageMilliseconds == 0)
    }
}
