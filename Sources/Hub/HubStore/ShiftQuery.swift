internal import Base
internal import HubCore
package import HubProtocol

/// The shifts of the terminals, as queries that both stores understand.
package enum ShiftQuery {
    /// A closed shift that waits for its comparison.
    package struct Waiting: Hashable, Sendable {
        package let terminalId: String
        package let storeId: String
        /// The epoch in which it was closed.
        package let epoch: Int64
        /// How it ended.
        package let closing: ShiftClosing
    }

    /// Shifts of one terminal in one go: one that was away for days has them all compared in some rounds, and
    /// one whose shifts cannot be settled takes no place of another.
    private static let ofOneTerminal = 4
    /// Shifts of all terminals in one go: some requests for each. Half of it makes more pages, twice of it
    /// reads more closings ahead.
    static let ofAll = 100

    /// A terminal's closed shifts that are not compared yet.
    static func waiting(of terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT shift_id FROM shifts WHERE terminal_id = $1 AND state = 'provisional' LIMIT 1",
            [.text(terminalId)])
    }

    /// The terminals with such shifts.
    static let waitingTerminals = StoreQuery(
        "SELECT DISTINCT terminal_id FROM shifts WHERE state = 'provisional' ORDER BY terminal_id")

    /// Those of a terminal with everything up to their ends.
    static func ready(of terminalId: String) -> StoreQuery {
        ready("s.terminal_id = $1", terminalId)
    }

    /// Those of the terminals behind `place`, some of each.
    static func ready(behind place: String) -> StoreQuery { ready("s.terminal_id > $1", place) }

    private static func ready(_ condition: String, _ value: String) -> StoreQuery {
        let arrived =
            PlantedBug.statementOverGap.isPlanted ? "" : "AND e.acknowledged_through >= s.last_sequence "
        return StoreQuery(
            "SELECT w.terminal_id, w.store_id, w.epoch, w.closing FROM (SELECT s.terminal_id, s.store_id, s.shift_id, s.epoch, "
                + "s.closing, ROW_NUMBER() OVER (PARTITION BY s.terminal_id ORDER BY s.shift_id) AS place "
                + "FROM shifts s JOIN epochs e ON e.terminal_id = s.terminal_id AND e.epoch = s.epoch "
                + arrived
                + "WHERE s.state = 'provisional' AND \(condition)) w WHERE w.place <= \(ofOneTerminal) "
                + "ORDER BY w.terminal_id, w.shift_id LIMIT \(ofAll)", [.text(value)])
    }

    /// The epochs of a terminal's journal, in their order.
    static func epochs(of terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT epoch, first_sequence, acknowledged_through, highest FROM epochs WHERE terminal_id = $1 "
                + "ORDER BY epoch", [.text(terminalId)])
    }

    /// The epochs in which the entry at `sequence` opens the shift.
    static func openings(of shift: Waiting) -> StoreQuery {
        StoreQuery(
            "SELECT j.epoch, m.document FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.sequence = $2 AND m.type = '\(ShiftOpening.type)'",
            [.text(shift.terminalId), .integer(shift.closing.from)])
    }

    /// The end of the last closed shift in front of a part.
    static func endInFront(of part: ShiftComparison.Part, in terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT MAX(last_sequence) AS sequence FROM shifts WHERE terminal_id = $1 AND epoch = $2 "
                + "AND last_sequence < $3",
            [.text(terminalId), .integer(part.epoch), .integer(part.from)])
    }

    /// The end of the last closed shift of an epoch: behind it are the entries of the open one.
    static func end(in epoch: Int64, of terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT MAX(last_sequence) AS sequence FROM shifts WHERE terminal_id = $1 AND epoch = $2",
            [.text(terminalId), .integer(epoch)])
    }

    /// The first entry of a shift that was found among another shift's, in an epoch.
    static func stray(of shiftId: String, of terminalId: String, in epoch: Int64) -> StoreQuery {
        StoreQuery(
            "SELECT first_sequence AS sequence FROM shift_strays "
                + "WHERE terminal_id = $1 AND shift_id = $2 AND epoch = $3",
            [.text(terminalId), .text(shiftId), .integer(epoch)])
    }

    /// Notes where entries of a shift were found among another one's. A shift that was compared without them
    /// is compared once more; nothing changes where they are known.
    static func noting(
        _ strays: ClosedRange<Int64>, of shiftId: String, of terminalId: String, in epoch: Int64
    ) -> [StoreQuery] {
        let place: [StoreValue] = [
            .text(terminalId), .text(shiftId), .integer(epoch), .integer(strays.lowerBound),
            .integer(strays.upperBound),
        ]
        return [
            StoreQuery(
                "INSERT INTO shift_strays (terminal_id, shift_id, epoch, first_sequence, last_sequence) "
                    + "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (terminal_id, shift_id, epoch) DO UPDATE SET "
                    + "first_sequence = CASE WHEN excluded.first_sequence < shift_strays.first_sequence "
                    + "THEN excluded.first_sequence ELSE shift_strays.first_sequence END, "
                    + "last_sequence = CASE WHEN excluded.last_sequence > shift_strays.last_sequence "
                    + "THEN excluded.last_sequence ELSE shift_strays.last_sequence END "
                    + "WHERE excluded.first_sequence < shift_strays.first_sequence "
                    + "OR excluded.last_sequence > shift_strays.last_sequence RETURNING shift_id", place),
            StoreQuery(
                "UPDATE shifts SET state = 'provisional' WHERE terminal_id = $1 AND shift_id = $2 "
                    + "AND epoch = $3 AND state IN ('confirmed', 'disputed') "
                    + "AND (first_sequence > $4 OR last_sequence < $5)", place),
        ]
    }

    /// A shift among whose entries lie those of more others than are noted counts as one with entries behind
    /// its end.
    static func overfull(_ shift: Waiting) -> StoreQuery {
        StoreQuery(
            "UPDATE shifts SET behind = 1 WHERE terminal_id = $1 AND shift_id = $2 AND behind = 0 "
                + "RETURNING shift_id", [.text(shift.terminalId), .text(shift.closing.opening.shiftId)])
    }

    /// Statements of a terminal under the keys of before, which had no terminal's id at the end.
    static func earlierStatements(of statements: [ShiftStatement]) -> [StoreQuery] {
        statements.map { statement in
            StoreQuery(
                "SELECT entity_id FROM changes WHERE entity = '\(ShiftStatement.entity)' AND entity_id = $1 "
                    + "AND store_id = $2 AND value IS NOT NULL",
                [
                    .text(PublishedStatement.earlierKey(of: statement).id),
                    .text(FeedAudience.terminal(statement.terminalId)),
                ])
        }
    }

    /// The entries of a part behind `sequence`, in their order.
    static func entries(
        of part: ShiftComparison.Part, in terminalId: String, behind sequence: Int64, limit: Int
    ) -> StoreQuery {
        StoreQuery(
            "SELECT m.id, j.sequence, m.type, m.hash, m.outcome, m.document, m.supersedes, CASE WHEN m.outcome <> 'applied' "
                + "AND (\(EntryRows.isEdited("m.id", of: "m.terminal_id")) "
                + "OR \(EntryRows.isDiscarded("m.id", of: "m.terminal_id"))) "
                + "THEN 1 ELSE 0 END AS responded FROM journal j "
                + "JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence <= $4 "
                + "ORDER BY j.sequence LIMIT \(limit)",
            [.text(terminalId), .integer(part.epoch), .integer(sequence), .integer(part.to)],
            texts: ["document"])
    }

    /// The terminal's edit of a mutation, the accepted one first.
    static func edit(of id: String, by terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT id, type, outcome, document FROM mutations WHERE supersedes = \(EntryRows.mintedId(of: "$1")) AND terminal_id = $2 "
                + "ORDER BY CASE outcome WHEN 'applied' THEN 0 ELSE 1 END, id DESC LIMIT 1",
            [.text(id), .text(terminalId)])
    }

    /// A person's decision, there or at the hub, that a mutation of the terminal is given up.
    static func discard(of id: String, by terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT mutation_id FROM discards WHERE mutation_id = \(EntryRows.mintedId(of: "$1")) AND terminal_id = $2",
            [.text(id), .text(terminalId)])
    }

    /// What was written of a sale that a terminal voids, its own first.
    static func sale(_ orderId: String, voidedBy terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT m.document FROM orders o JOIN mutations m ON m.id = o.mutation_id "
                + "WHERE \(EntryRows.isOrder("o", mintedAs: "$1")) "
                + "ORDER BY CASE WHEN o.terminal_id = $2 THEN 0 ELSE 1 END, o.repeats LIMIT 1",
            [.text(orderId), .text(terminalId)])
    }

    /// Notes what came of a comparison; changes nothing where the shift does not wait for one any more, or
    /// was closed again meanwhile. What lies behind its end makes it disputed.
    static func settlement(
        of shift: Waiting, _ settlement: ShiftSettlement, _ statements: [ShiftStatement],
        _ cardMachine: ShiftCardMachine, at now: Int64
    ) -> StoreQuery {
        let differences =
            settlement.differences.map(\.json) + (settlement.isHeadEqual ? [] : [["figure": "head"]])
        return StoreQuery(
            "UPDATE shifts SET state = CASE WHEN behind > 0 OR EXISTS (SELECT 1 FROM shift_strays t "
                + "WHERE t.terminal_id = shifts.terminal_id AND t.shift_id = shifts.shift_id "
                + "AND t.epoch = shifts.epoch AND t.last_sequence > shifts.last_sequence) "
                + "THEN 'disputed' ELSE $1 END, statements = $2, "
                + "differences = $3, settled_at = $4, card_machine = $5 "
                + "WHERE terminal_id = $6 AND shift_id = $7 AND state = 'provisional' AND epoch = $8 "
                + "RETURNING shift_id",
            [
                .text(settlement.state.rawValue),
                .text(JSONValue.array(statements.map(\.json)).canonicalText),
                .text(JSONValue.array(differences).canonicalText), .integer(now),
                cardMachine.isEmpty ? .null : .text(cardMachine.json.canonicalText), .text(shift.terminalId),
                .text(shift.closing.opening.shiftId), .integer(shift.epoch),
            ])
    }

    /// Lets a disputed shift be compared once more, after an operator gave up an entry of it.
    package static func reconsideration(of shiftId: String, of terminalId: String) -> StoreQuery {
        StoreQuery(KeptShift.reconsideration, [.text(terminalId), .text(shiftId)])
    }
}

extension ShiftQuery {
    private static let columns =
        "SELECT s.terminal_id, s.shift_id, s.store_id, s.epoch, s.state, s.business_day, s.currency, "
        + "s.opened_at, s.closed_at, s.opening, s.closing, s.statements, s.differences, "
        + "s.card_machine, s.behind FROM shifts s "

    /// Shifts by when they were opened, the newest first.
    package static func shifts(_ page: BackOfficeQuery.Page, state: ShiftSettlement.State?) -> StoreQuery {
        list(page, state.map { ["s.state = '\($0.rawValue)'"] } ?? [])
    }

    /// Shifts that have a statement.
    package static func settled(_ page: BackOfficeQuery.Page) -> StoreQuery {
        list(page, ["s.statements IS NOT NULL"])
    }

    private static func list(_ page: BackOfficeQuery.Page, _ conditions: [String]) -> StoreQuery {
        var (terms, values) = (conditions, [StoreValue]())
        func add(_ term: String, _ text: String?) {
            guard let text else { return }
            values.append(.text(text))
            terms.append(term + "$\(values.count)")
        }
        add("s.business_day >= ", page.filter.from)
        add("s.business_day <= ", page.filter.to)
        add("s.store_id = ", page.filter.storeId)
        if page.after.count == 2 {
            values += page.after.map { .text($0) }
            terms.append("(s.shift_id, s.terminal_id) < ($\(values.count - 1), $\(values.count))")
        }
        let condition = terms.isEmpty ? "" : "WHERE \(terms.joined(separator: " AND ")) "
        return StoreQuery(
            columns + condition + "ORDER BY s.shift_id DESC, s.terminal_id DESC LIMIT \(page.limit)", values,
            texts: ["shift_id", "opening", "closing", "statements", "differences", "card_machine"])
    }

    /// The shifts with this id: of one terminal, unless another one made the id up too.
    package static func shift(_ id: String) -> StoreQuery {
        StoreQuery(columns + "WHERE s.shift_id = $1 ORDER BY s.terminal_id LIMIT 10", [.text(id)])
    }

    /// How many shifts are disputed.
    package static let disputedCount = StoreQuery(
        "SELECT COUNT(*) AS count FROM shifts WHERE state = 'disputed'")
}
