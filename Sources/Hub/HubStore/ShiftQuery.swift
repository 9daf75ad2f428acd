internal import HubCore
public import HubProtocol

/// The shifts of the terminals, as queries that both stores understand.
public enum ShiftQuery {
    /// A closed shift that waits for its comparison.
    public struct Waiting: Hashable, Sendable {
        /// Whose shift it is.
        public let terminalId: String
        /// The epoch in which it was closed.
        public let epoch: Int64
        /// How it ended.
        public let closing: ShiftClosing
    }

    /// Closed shifts that nothing was compared of yet, of one terminal or of all.
    ///
    /// - Parameter limit: at most so many; the others wait for the next look.
    static func waiting(of terminalId: String?, limit: Int) -> StoreQuery {
        StoreQuery(
            "SELECT terminal_id, epoch, closing FROM shifts WHERE state = 'provisional' "
                + (terminalId == nil ? "" : "AND terminal_id = $1 ")
                + "ORDER BY terminal_id, shift_id LIMIT \(limit)", terminalId.map { [.text($0)] } ?? [])
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

    /// The entries of a part behind `sequence`, in their order.
    static func entries(
        of part: ShiftComparison.Part, in terminalId: String, behind sequence: Int64, limit: Int
    ) -> StoreQuery {
        StoreQuery(
            "SELECT m.id, j.sequence, m.type, m.hash, m.outcome, m.document FROM journal j "
                + "JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence <= $4 "
                + "ORDER BY j.sequence LIMIT \(limit)",
            [.text(terminalId), .integer(part.epoch), .integer(sequence), .integer(part.to)])
    }

    /// The terminal's edit of a mutation, the accepted one first.
    static func edit(of id: String, by terminalId: String) -> StoreQuery {
        StoreQuery(
            "SELECT id, type, outcome, document FROM mutations WHERE supersedes = $1 AND terminal_id = $2 "
                + "ORDER BY CASE outcome WHEN 'applied' THEN 0 ELSE 1 END, id DESC LIMIT 1",
            [.text(id), .text(terminalId)])
    }

    /// What the terminal wrote of a sale.
    static func sale(_ orderId: String) -> StoreQuery {
        StoreQuery(
            "SELECT m.document FROM orders o JOIN mutations m ON m.id = o.mutation_id WHERE o.order_id = $1 "
                + "LIMIT 1", [.text(orderId)])
    }

    /// Notes what came of a comparison; changes nothing where the shift does not wait for one any more.
    static func settlement(
        of shift: Waiting, _ settlement: ShiftSettlement, _ statements: [ShiftStatement], at now: Int64
    ) -> StoreQuery {
        let differences =
            settlement.differences.map(\.json) + (settlement.isHeadEqual ? [] : [["figure": "head"]])
        return StoreQuery(
            "UPDATE shifts SET state = $1, statements = $2, differences = $3, settled_at = $4 "
                + "WHERE terminal_id = $5 AND shift_id = $6 AND state = 'provisional' RETURNING shift_id",
            [
                .text(settlement.state.rawValue),
                .text(JSONValue.array(statements.map(\.json)).canonicalText),
                .text(JSONValue.array(differences).canonicalText), .integer(now), .text(shift.terminalId),
                .text(shift.closing.opening.shiftId),
            ])
    }

    /// Lets the disputed shifts of a terminal be compared once more, after it sent an edit or a discard.
    static func reconsideration(of terminalId: String) -> StoreQuery {
        StoreQuery(
            "UPDATE shifts SET state = 'provisional' WHERE terminal_id = $1 AND state = 'disputed' "
                + "RETURNING shift_id", [.text(terminalId)])
    }
}

extension ShiftQuery {
    /// The columns of a shift.
    private static let columns =
        "SELECT s.terminal_id, s.shift_id, s.store_id, s.epoch, s.state, s.business_day, s.currency, "
        + "s.opened_at, s.closed_at, s.opening, s.closing, s.statements, s.differences FROM shifts s "

    /// Shifts by when they were opened, the newest first.
    public static func shifts(_ page: BackOfficeQuery.Page, state: ShiftSettlement.State?) -> StoreQuery {
        list(page, state.map { ["s.state = '\($0.rawValue)'"] } ?? [])
    }

    /// Shifts that have a statement.
    public static func settled(_ page: BackOfficeQuery.Page) -> StoreQuery {
        list(page, ["s.statements IS NOT NULL"])
    }

    private static func list(_ page: BackOfficeQuery.Page, _ conditions: [String]) -> StoreQuery {
        var (terms, values) = (conditions, [StoreQuery.Value]())
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
            columns + condition + "ORDER BY s.shift_id DESC, s.terminal_id DESC LIMIT \(page.limit)", values)
    }

    /// The shifts with this id: of one terminal, unless another one made the id up too.
    public static func shift(_ id: String) -> StoreQuery {
        StoreQuery(columns + "WHERE s.shift_id = $1 ORDER BY s.terminal_id LIMIT 10", [.text(id)])
    }

    /// How many shifts are disputed.
    public static let disputedCount = StoreQuery(
        "SELECT COUNT(*) AS count FROM shifts WHERE state = 'disputed'")

    /// How many shifts are in each state.
    public static let counts = StoreQuery(
        "SELECT state, COUNT(*) AS count FROM shifts GROUP BY state ORDER BY state")
}
