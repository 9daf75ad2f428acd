import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

/// Epochs that a restored hub does not know, and what it reports as missing.
@Suite("Epochs of a journal")
struct EpochTests {
    /// A push as a terminal sends it that keeps where its epoch began.
    private func push(
        _ till: Till, _ mutations: [Mutation], epoch: Int64, start: Int64?, low: Int64? = nil,
        journalStart: Int64 = 1, ends: [JournalMark] = [], way: IntakeWay = .terminal
    ) throws -> IntakeRequest {
        let head = start.flatMap { start in
            SignedHead(
                terminalId: till.device.terminalId, epoch: epoch, sequence: till.sequence,
                hash: till.previousHash, orderCounter: 1,
                origin: JournalOrigin(epochStart: start, journalStart: journalStart, ends: ends),
                at: 1_000_000,
                sign: { _ in "signature" })
        }
        return IntakeRequest(
            device: till.device, epoch: epoch, epochStart: start, lowSequence: low,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) }, receivedAt: 1_000_000,
            head: head.map(HeadClaim.signed), way: way)
    }

    private func store(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        return store
    }

    private func audit(_ store: TemporaryStore) async throws -> TerminalAudit {
        try #require(try await store.ledger.audit(terminal: "T1").first)
    }

    @Test(
        "An unknown epoch begins where the terminal says, or behind what is here; what lies between is missing",
        arguments: StoreKind.all)
    func unknownEpoch(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        let entries = (0..<12).map { _ in till.minted() }
        _ = try await store.take(push(till, Array(entries[..<3]), epoch: 1, start: 1, low: 1))
        // The epoch began at 7; 4 to 6 were of the first one, which the hub has only in part.
        let response = try await store.take(push(till, [entries[11]], epoch: 2, start: 7, low: 12))
        #expect(response?.missing == Array(4...11))
        #expect(response?.acknowledgedThrough == 3)
        #expect(try await audit(store).hasTrouble)
        let rest = try await store.take(push(till, Array(entries[3..<11]), epoch: 2, start: 7, low: 4))
        #expect(rest?.results.allSatisfy { $0.outcome == .applied } == true)
        #expect(rest?.missing == [])
        #expect(rest?.acknowledgedThrough == 12)
        #expect(try await !audit(store).hasTrouble)
    }

    @Test("An empty push says what the hub lacks, too", arguments: StoreKind.all)
    func checkIn(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        let entries = (0..<5).map { _ in till.minted() }
        _ = try await store.take(push(till, Array(entries[..<2]), epoch: 1, start: 1, low: 1))
        #expect(try await store.take(push(till, [], epoch: 1, start: 1))?.missing == [3, 4, 5])
        #expect(try await store.take(push(till, [], epoch: 1, start: 1, low: 4))?.missing == [3])
    }

    @Test(
        "Epochs up to 100 above are begun with a start and a signed head, others refused",
        arguments: StoreKind.all)
    func leap(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        let entries = (0..<3).map { _ in till.minted() }
        _ = try await store.take(push(till, [entries[0]], epoch: 1, start: 1, low: 1))
        let refused = IntakeResponse.refused(.epochInvalid(next: 2))
        #expect(
            try await store.ledger.ingest(push(till, [entries[1]], epoch: 3, start: nil, low: 2)) == refused)
        #expect(
            try await store.ledger.ingest(push(till, [entries[1]], epoch: 102, start: 2, low: 2)) == refused)
        #expect(
            try await store.outcomes(push(till, [entries[1]], epoch: 101, start: 2, low: 2)) == ["applied"])
        #expect(try await store.take(push(till, [], epoch: 101, start: 2))?.extent.missingEpochs.count == 99)
        #expect(try await audit(store).skippedEpochs.count == 99)
    }

    @Test(
        "While the entry before an epoch's first one is nowhere here, the epoch begins earlier",
        arguments: StoreKind.all)
    func lookBehind(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        let entries = (0..<200).map { _ in till.minted() }
        // The hub lost all of the first epoch.
        let first = try await store.take(push(till, [entries[199]], epoch: 1, start: 200, low: 200))
        #expect(first?.missing == Array(136...199))
        let second = try await store.take(
            push(till, Array(entries[135..<199]), epoch: 1, start: 200, low: 136))
        #expect(second?.missing == Array(72...135))
        var other = Till("T2")
        try await store.enrol("T2")
        _ = (0..<9).map { _ in other.minted() }
        let moved = try await store.take(
            push(other, [other.minted()], epoch: 1, start: 10, low: 10, journalStart: 10))
        #expect(moved?.missing == [], "what was another store's is not missing here")
    }

    @Test(
        "A file's entries go into their own epoch; a terminal that speaks an old one does not",
        arguments: StoreKind.all)
    func belated(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        var entries = (0..<2).map { _ in till.minted() }
        var copy = till
        entries += (0..<4).map { _ in till.minted() }
        _ = try await store.take(push(till, Array(entries[..<3]), epoch: 1, start: 1, low: 1))
        let own = copy.minted()
        let forked = try await store.ledger.ingest(push(copy, [own], epoch: 1, start: 1, low: 3))
        guard case .refused(.forked(2, 3, _, _)) = forked else {
            Issue.record("\(forked)")
            return
        }
        #expect(try await store.outcomes(push(copy, [own], epoch: 2, start: 3, low: 3)) == ["applied"])
        let late = Array(entries[3...])
        // The refusal names how far the journal came, for the copy that stops.
        #expect(
            try await store.ledger.ingest(push(till, late, epoch: 1, start: 1, low: 4))
                == .refused(
                    .epochSuperseded(
                        epoch: 2,
                        ends: [
                            JournalMark(epoch: 1, sequence: 3, hash: entries[2].hash),
                            JournalMark(epoch: 2, sequence: 3, hash: own.hash),
                        ], headOrderNumber: nil)))
        let belated = try push(till, late, epoch: 1, start: nil, low: 1, way: .file)
        #expect(try await store.outcomes(belated) == ["applied", "applied", "applied"])
        // The last epoch is as it was.
        #expect(
            try await store.take(push(copy, [copy.minted()], epoch: 2, start: 3, low: 4))?.acknowledgedThrough
                == 4)
        #expect(try await store.ledger.lastEpoch(of: "T1") == 2)
    }

    @Test(
        "An end of an earlier epoch that is not here is named to the terminal and in the audit",
        arguments: StoreKind.all)
    func ends(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        let entries = (0..<4).map { _ in till.minted() }
        let lost = JournalMark(epoch: 1, sequence: 4, hash: entries[3].hash)
        _ = try await store.take(push(till, Array(entries[..<3]), epoch: 1, start: 1, low: 1))
        let response = try await store.take(
            push(till, [], epoch: 2, start: 4, low: nil, ends: [lost]))
        #expect(response?.extent.missingHeads == [lost])
        #expect(try await audit(store).heads.unexplained.map(\.head.sequence) == [4])
        _ = try await store.take(push(till, [entries[3]], epoch: 2, start: 4, low: 4, ends: [lost]))
        #expect(
            try await store.take(push(till, [], epoch: 2, start: 4, ends: [lost]))?.extent.missingHeads == [])
        #expect(try await !audit(store).hasTrouble)
    }

    @Test(
        "A start that moves up and a start far before the first entry raise alarms", arguments: StoreKind.all)
    func alarms(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till(from: 20_000)
        _ = try await store.take(push(till, [till.minted()], epoch: 1, start: 1, low: 20_000))
        _ = try await store.take(push(till, [till.minted()], epoch: 1, start: 2, low: 20_001))
        let kinds = Set(try await store.ledger.alarms(terminal: "T1", limit: 10).map(\.first.kind))
        #expect(kinds.isSuperset(of: ["epoch_gap", "epoch_start_raised"]))
    }
}
