internal import GRDB
package import HubProtocol
internal import Synchronization

/// What the hub lacks of this terminal's journal and this terminal cannot send again, as the last response to
/// a push said it; of earlier epochs, as the last one to an empty batch did.
package struct HubAbsence: Hashable, Sendable {
    /// Entries that are not on this disk; the first 1,000 at most.
    package let missing: [Int64]
    /// Entries of earlier epochs that the hub had once, or that follow from those it has.
    package let heads: [JournalMark]

    static let factName = "absentAtHub"
    static let none = HubAbsence(missing: [], heads: [])

    init(missing: [Int64], heads: [JournalMark]) {
        self.missing = missing
        self.heads = heads
    }

    /// Nil for what is no such report.
    init?(json: JSONValue) {
        missing = (json["missing"]?.array ?? []).compactMap(\.integer)
        heads = (json["heads"]?.array ?? []).compactMap { try? JournalMark(json: $0) }
        guard self != .none else { return nil }
    }

    static func read(in connection: Database) throws -> HubAbsence? {
        try SQLiteTerminalFacts.fact(factName, in: connection)
            .flatMap { try? JSONParser.parse(Array($0.utf8)) }.flatMap(HubAbsence.init)
    }

    /// `{"missing","heads"}`.
    package var json: JSONValue {
        ["missing": .array(missing.map(JSONValue.integer)), "heads": .array(heads.map(\.json))]
    }
}

/// Keeps what the hub lacks for good; a fact that is written when it changes alone.
package final class HubAbsences: Sendable {
    private let database: TerminalDatabase
    private struct State {
        /// What the fact holds; nil: not read yet.
        var kept: HubAbsence?
        var reopened = 0

        func mayChange(with claim: HubAbsence, isWhole: Bool) -> Bool {
            guard let kept, claim == .none else { return true }
            return isWhole ? kept != .none : !kept.missing.isEmpty
        }
    }

    private let state = Mutex(State())

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// How many entries were put back into the outbox since the last call.
    package func takeReopened() -> Int {
        state.withLock { state in
            defer { state.reopened = 0 }
            return state.reopened
        }
    }

    /// Compares a response with this disk: an entry of an earlier epoch that is here is sent again. What
    /// cannot be written now is written after a later response.
    ///
    /// - Parameter isWhole: the response looked at the earlier epochs, too; otherwise it adds to what is
    ///   known of them and takes nothing away.
    package func note(_ extent: JournalExtent, isWhole: Bool) async {
        let claim = HubAbsence(missing: extent.missing, heads: extent.missingHeads)
        // Most responses lack nothing, and the fact says so already.
        guard state.withLock({ $0.mayChange(with: claim, isWhole: isWhole) }) else { return }
        let result = try? await database.write { connection -> (HubAbsence, Int) in
            var absent: [Int64] = []
            for sequence in claim.missing {
                let statement = try connection.cachedStatement(
                    sql: "SELECT 1 FROM journal WHERE sequence = ?")
                if try Int64.fetchOne(statement, arguments: [sequence]) == nil { absent.append(sequence) }
            }
            let here = try claim.heads.filter { try JournalOriginFact.isHere($0, in: connection) }
            for head in here { try SQLiteOutbox.reopen(head.sequence, in: connection) }
            var heads = isWhole ? [] : try HubAbsence.read(in: connection)?.heads ?? []
            heads += claim.heads.filter { !here.contains($0) && !heads.contains($0) }
            let absence = HubAbsence(missing: absent, heads: heads)
            let text = absence == .none ? nil : absence.json.canonicalText
            guard try SQLiteTerminalFacts.fact(HubAbsence.factName, in: connection) != text else {
                return (absence, here.count)
            }
            try SQLiteTerminalFacts.keep(text, as: HubAbsence.factName, in: connection)
            return (absence, here.count)
        }
        state.withLock { state in
            state.kept = result?.0
            state.reopened += result?.1 ?? 0
        }
    }
}

extension SQLiteTerminalFacts {
    /// What the hub lacks and this terminal cannot send again; nil: nothing, as far as the hub has said.
    package func absentAtHub() async throws(Failure) -> HubAbsence? {
        try await fact(HubAbsence.factName)
            .flatMap { try? JSONParser.parse(Array($0.utf8)) }.flatMap(HubAbsence.init)
    }
}
