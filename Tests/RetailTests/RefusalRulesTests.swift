import HubProtocol
import OfflineMode
import Retail
import Synchronization
import Testing

/// One entry that the hub refused, or one without a result, in place of the journal.
private final class ScriptedRefusals: RefusalStorage {
    let mutation: Mutation
    let state: SyncState
    let problem: String?
    /// What was done, with its payload.
    let log = Mutex<[String]>([])
    let payload = Mutex<JSONValue?>(nil)

    init(_ type: String, _ payload: JSONValue, state: SyncState = .rejected, problem: String? = nil) {
        mutation = Mutation(
            id: "m", sequence: 7, type: type, entity: "x", entityId: "e",
            clientGeneratedAt: "2026-11-21T04:05:06.789Z", previousHash: Mutation.genesisHash,
            payload: payload)
        (self.state, self.problem) = (state, problem)
    }

    func list(limit: Int) -> [RefusedEntry] {
        let entry = JournalEntry(
            id: "m", sequence: 7, type: mutation.type, madeAt: 0, attempts: 1, state: state, problem: problem)
        return [RefusedEntry(entry: entry, mutation: mutation)]
    }

    func mutation(_ id: String) throws(RefusalError) -> Mutation {
        guard id == "m" else { throw .unknown(id: id) }
        return mutation
    }

    func heldBack(limit: Int) -> [HeldBackEntry] { [] }

    func release(_ id: String) { log.withLock { $0.append("release \(id)") } }

    func resend(
        _ id: String, allowsPending: Bool,
        _ revise: @escaping @Sendable (Mutation) -> Result<JSONValue, RefusalError>
    ) async throws(RefusalError) -> String {
        let mutation = try mutation(id)
        guard state.isRefused || (allowsPending && problem != nil) else {
            throw .notRefused(id: id, state: state)
        }
        let new = try revise(mutation).get()
        payload.withLock { $0 = new }
        log.withLock { $0.append("resend \(id)") }
        return "new"
    }

    func discard(_ id: String, _ payload: JSONValue, at madeAt: Int64) throws(RefusalError) -> String {
        _ = try mutation(id)
        self.payload.withLock { $0 = payload }
        log.withLock { $0.append("discard \(id) at \(madeAt)") }
        return "new"
    }
}

@Suite("Decisions on refusals")
struct RefusalRulesTests {
    private static let person = Authorization(cashierId: "c1", approverId: "c9")
    private static let sale: JSONValue = [
        "orderId": "o", "orderNumber": "N-1", "cashierId": "c0", "lines": [["sku": "a"]],
    ]

    @Test("A retry sends a refused entry under a new id, and an entry without a result by its own")
    func retry() async throws {
        let refused = ScriptedRefusals("order.completed", Self.sale)
        #expect(try await Refusals(refused).retry("m") == "new")
        #expect(refused.payload.withLock { $0 } == Self.sale)
        let pending = ScriptedRefusals("order.completed", Self.sale, state: .pending)
        #expect(try await Refusals(pending).retry("m") == "m")
        #expect(pending.log.withLock { $0 } == ["release m"])
    }

    @Test(
        "What is neither refused nor without a result is not retried",
        arguments: [SyncState.acknowledged, .superseded, .discarded])
    func settled(state: SyncState) async {
        let storage = ScriptedRefusals("order.completed", Self.sale, state: state)
        await #expect(throws: RefusalError.notRefused(id: "m", state: state)) {
            try await Refusals(storage).retry("m")
        }
        #expect(storage.log.withLock { $0 } == [])
    }

    @Test("An edit of a sale names who made it and who approved it; an edit of a note, its cashier")
    func editors() async throws {
        let sale = ScriptedRefusals("order.completed", Self.sale)
        _ = try await Refusals(sale).resend("m", by: Self.person)
        var expected = try #require(Self.sale.object)
        expected["editedBy"] = "c1"
        expected["editApproverId"] = "c9"
        #expect(sale.payload.withLock { $0 } == .object(expected))
        let note = ScriptedRefusals("note.upserted", ["text": "a", "cashierId": "c0", "changed": ["text"]])
        let edited: JSONValue = ["text": "b", "cashierId": "c0", "changed": ["text"]]
        _ = try await Refusals(note).resend("m", payload: edited, by: Self.person)
        // Every field of the note counts as written now.
        #expect(note.payload.withLock { $0 } == ["text": "b", "cashierId": "c1"])
    }

    @Test("A note that is sent again with the same fields keeps the list of what it changed")
    func sameNote() async throws {
        let note = ScriptedRefusals("note.upserted", ["text": "a", "changed": ["text"], "baseVersion": 1])
        _ = try await Refusals(note).resend(
            "m", payload: ["text": "a", "changed": ["text"], "baseVersion": 4])
        #expect(note.payload.withLock { $0 } == ["text": "a", "changed": ["text"], "baseVersion": 4])
    }

    @Test(
        "What an edit may not change is refused with the reason, and nothing is sent",
        arguments: [
            ("order.completed", "orderNumber", "`orderNumber` stays as it was printed on the receipt"),
            ("order.completed", "orderId", "`orderId` stays as it was printed on the receipt"),
            ("order.completed", "cashierId", "`cashierId` stays as it was: it names who made the entry"),
            ("order.voided", "approverId", "`approverId` stays as it was: it names who made the entry"),
            ("order.completed", "lines", "a sale has at least one line"),
            ("refund.completed", "orderId", "`orderId` stays as it was"),
            ("refund.completed", "refundId", "`refundId` stays as it was"),
        ])
    func fixed(type: String, member: String, detail: String) async {
        let storage = ScriptedRefusals(type, Self.sale)
        var members = Self.sale.object ?? [:]
        members[member] = member == "lines" ? [] : "other"
        let payload = JSONValue.object(members)
        await #expect(throws: RefusalError.malformed(detail: detail)) {
            try await Refusals(storage).resend("m", payload: payload)
        }
        #expect(storage.log.withLock { $0 } == [])
    }

    @Test("A payload without canonical numbers, or that is no object, is refused")
    func numbers() async {
        for payload: JSONValue in [["text": .double(0.5)], ["a"], .null] {
            await #expect(
                throws: RefusalError.malformed(
                    detail: "a payload is an object whose numbers are integers below 2^53")
            ) {
                try await Refusals(ScriptedRefusals("note.upserted", [:])).resend("m", payload: payload)
            }
        }
    }

    @Test("A discard carries its reason and who decided it: the person, else the name as entered, else null")
    func discard() async throws {
        let storage = ScriptedRefusals("order.completed", Self.sale)
        _ = try await Refusals(storage).discard("m", reason: "r", by: "Li", Self.person, at: 5)
        #expect(
            storage.payload.withLock { $0 } == [
                "approverId": "c9", "by": "c1", "cashierId": "c1", "discards": "m", "reason": "r",
            ])
        _ = try await Refusals(storage).discard("m", reason: "r", by: "Li", at: 5)
        #expect(storage.payload.withLock { $0 } == ["by": "Li", "discards": "m", "reason": "r"])
        _ = try await Refusals(storage).discard("m", reason: "r", by: nil, at: 5)
        #expect(storage.payload.withLock { $0 } == ["by": .null, "discards": "m", "reason": "r"])
    }

    @Test("Keeping mine is meant on top of the server's version; keeping the server's discards mine")
    func conflicts() async throws {
        let storage = ScriptedRefusals(
            "note.upserted", ["text": "a", "baseVersion": 1], state: .conflicted,
            problem: #"{"code":"c","outcome":"conflict","serverState":{"version":6}}"#)
        let person = Authorization(cashierId: nil, approverId: nil)
        _ = try await Refusals(storage).keepMine("m", by: person)
        #expect(storage.payload.withLock { $0 } == ["text": "a", "baseVersion": 6])
        _ = try await Refusals(storage).keepServer("m", by: "Li", person, at: 5)
        #expect(storage.payload.withLock { $0?["reason"] } == "the server's state was kept")
        #expect(storage.log.withLock { $0 } == ["resend m", "discard m at 5"])
    }

    @Test("A discarded void takes itself and its stock back, a refund its stock, a sale nothing")
    func effects() {
        #expect(Refusals.effect(ofDiscarding: "order.voided") == .void)
        #expect(Refusals.effect(ofDiscarding: "refund.completed") == .stock)
        #expect(Refusals.effect(ofDiscarding: "order.completed") == .nothing)
    }
}

@Suite("Edits of a payload by paths")
struct PayloadEditTests {
    private static let old: JSONValue = ["text": "a", "lines": [["sku": "x"], ["sku": "y"]]]

    @Test("New values are set before members are removed; an element of an array can be removed")
    func applied() throws {
        let edit = try PayloadEdit(
            payload: nil, set: ["lines.1.sku": "z", "note": "n"], unset: ["text", "lines.0"])
        #expect(try edit.applied(to: Self.old) == ["lines": [["sku": "z"]], "note": "n"])
    }

    @Test("A whole payload replaces the old one before the other changes")
    func whole() throws {
        let edit = try PayloadEdit(payload: ["a": 1], set: ["b": 2], unset: [])
        #expect(try edit.applied(to: Self.old) == ["a": 1, "b": 2])
    }

    @Test("No change at all, and a path that leads nowhere, are refused")
    func refused() throws {
        #expect(throws: PayloadEdit.Failure.nothingToEdit) {
            try PayloadEdit(payload: nil, set: [:], unset: [])
        }
        for path in ["lines.2.sku", "text.a", "none.a", "lines.x"] {
            let edit = try PayloadEdit(payload: nil, set: [path: 1], unset: [])
            #expect(throws: PayloadEdit.Failure.noSuchPlace(path)) { try edit.applied(to: Self.old) }
        }
    }
}

@Suite("Intervals offline")
struct OfflineIntervalTests {
    private func interval(causes: [String] = [], evidence: [String] = []) -> OfflineInterval {
        OfflineInterval(id: 1, startedAt: 100, endedAt: nil, causes: causes, evidence: evidence, sales: 0)
    }

    @Test("What is added comes after what was there, and nothing twice")
    func adding() {
        let next = interval(causes: ["network"], evidence: ["ping"])
            .adding(causes: ["manual", "network"], evidence: ["manual", "ping"])
        #expect(next.causes == ["network", "manual"] && next.evidence == ["ping", "manual"])
    }

    @Test("The newest twenty of the evidence are kept", arguments: [20, 21])
    func evidence(count: Int) {
        let names = (1...count).map { "e\($0)" }
        let next = interval(evidence: Array(names.prefix(5))).adding(causes: [], evidence: names)
        #expect(next.evidence == Array(names.suffix(20)))
    }

    @Test("It never ends before it began")
    func end() {
        #expect(interval().end(at: 99) == 100 && interval().end(at: 101) == 101)
    }
}
