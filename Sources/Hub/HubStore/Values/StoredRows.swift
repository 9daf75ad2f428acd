package import HubCore
package import HubProtocol

/// Whether a transaction's changes stay.
package enum TransactionEnding<Value: Sendable>: Sendable {
    case keep(Value)
    case undo(Value)

    package var value: Value {
        switch self {
        case .keep(let value), .undo(let value): value
        }
    }
}

extension JSONValue {
    /// A document of the store's own; what cannot be read shows as null.
    package static func stored(_ text: String?) -> JSONValue {
        guard let text, let value = try? JSONParser.parse(text.utf8) else { return .null }
        return value
    }
}

/// The table `terminals`, as both stores read it.
package enum StoredRows {
    /// The device of a new terminal: that of one with the same key in the same store, or the key itself.
    package static func device(ofKey key: String, in store: String) -> String {
        "COALESCE((SELECT MIN(device) FROM terminals WHERE store_id = \(store) AND public_key = \(key)), \(key))"
    }

    /// Makes a terminal, with all that are one device with it, one device with an earlier one of its store;
    /// `id` and `earlier` are SQL of their ids.
    package static func link(_ id: String, to earlier: String) -> String {
        "UPDATE terminals SET device = (SELECT device FROM terminals WHERE id = \(earlier)) "
            + "WHERE store_id = (SELECT store_id FROM terminals WHERE id = \(earlier)) "
            + "AND device = (SELECT device FROM terminals WHERE id = \(id))"
    }

    /// An unrevoked terminal of another store than `store` with a device key; both are SQL expressions.
    package static func terminalElsewhere(key: String, store: String) -> String {
        "SELECT 1 FROM terminals WHERE public_key = \(key) AND store_id <> \(store) AND revoked_at IS NULL LIMIT 1"
    }
}

/// The table `payments`, as both stores read and write it.
package enum PaymentRows {
    package static let columns =
        "key, terminal_id, order_id, state, amount, currency, approval_code, decline_reason, decided_at"

    /// What the customer owes of a card that was refused after its sale: goods that came back are not owed.
    package static func owed(of payment: String = "") -> String {
        "\(payment)amount - \(payment)refunded"
    }
    /// Whether something is owed, or was until somebody settled it.
    package static func isDebt(of payment: String = "") -> String {
        "\(payment)state = 'forwardDeclined' AND \(payment)amount > \(payment)refunded"
    }
    package static func isOpenDebt(of payment: String = "") -> String {
        "\(isDebt(of: payment)) AND \(payment)settled_at IS NULL"
    }
    package static let debts =
        "key, terminal_id, order_id, state, \(owed()) AS amount, currency, approval_code, "
        + "decline_reason, decided_at"

    /// The states that a capture or a void goes on from, as SQL lists. Made once: card sales name them.
    package static let capturable = list(PaymentRules.capturable)
    package static let voidable = list(PaymentRules.voidable)
    package static let voidedAtService = list(PaymentRules.voidedAtService)
    package static let refundable = list(PaymentRules.refundable)
    package static let undecided = list(PaymentRules.undecided)

    private static func list(_ states: [PaymentAuthorization.State]) -> String {
        states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// The key of the row that a device keeps under `name`, or gets for it: what another device named has no
    /// effect on it (``EntryKey``). A name with a `~` always gets the terminal's id, so that no two rows have
    /// one key.
    ///
    /// Of two devices that name one key at the same moment both get the name itself; the second one's row
    /// does not fit then, and once the first one's is there it gets another.
    ///
    /// - Parameters:
    ///   - name: SQL of the key that a terminal names.
    ///   - terminal: SQL of that terminal's id.
    package static func key(of name: String, by terminal: String) -> String {
        let ids =
            "SELECT \(terminal) AS id UNION ALL SELECT same.id FROM terminals own JOIN terminals same "
            + "ON same.store_id = own.store_id AND same.device = own.device "
            + "WHERE own.id = \(terminal)"
        return
            "COALESCE((SELECT p.key FROM payments p WHERE p.key = \(name) AND p.terminal_id IN (\(ids)) "
            // A row that ends so has another name.
            + "AND p.key NOT LIKE ('%~' || p.terminal_id)), "
            + "(SELECT MIN(p.key) FROM payments p WHERE p.key IN "
            + "(SELECT \(name) || '~' || ids.id FROM (\(ids)) AS ids) AND p.terminal_id IN (\(ids))), "
            + "CASE WHEN \(name) LIKE '%~%' OR EXISTS (SELECT 1 FROM payments p WHERE p.key = \(name)) "
            + "THEN \(name) || '~' || \(terminal) ELSE \(name) END)"
    }

    /// Whether a payment is the money of an accepted sale that is not voided.
    package static let paysAcceptedSale =
        "state IN ('captured', 'storedOffline', 'forwardDeclined') AND EXISTS (SELECT 1 FROM orders "
        + "WHERE \(EntryRows.isOrder("orders", mintedAs: "payments.order_id")) "
        + "AND \(EntryRows.isOneDevice("orders.terminal_id", "payments.terminal_id")) "
        + "AND orders.voided_by IS NULL)"

    /// The first call of each payment that the service has to get; about undecided payments it gets it
    /// later. A token may be refunded before it is forwarded: its capture goes first all the same. All
    /// terminals have turns, so that calls that get no response delay none but their own terminal's.
    package static let calls =
        "SELECT id, key, terminal_id, kind, call_key, amount, currency FROM (SELECT opening.*, row_number() OVER "
        + "(PARTITION BY terminal_id ORDER BY oldest, key) AS turn FROM (SELECT c.*, p.terminal_id, "
        + "MIN(c.id) OVER (PARTITION BY c.key) AS oldest, row_number() OVER "
        + "(PARTITION BY c.key ORDER BY CASE c.kind WHEN 'capture' THEN 0 ELSE 1 END, c.id) AS place "
        + "FROM payment_calls c JOIN payments p ON p.key = c.key WHERE p.state NOT IN (\(undecided))) "
        + "AS opening WHERE place = 1) AS turns ORDER BY turn, oldest"

    /// The state after a decision: all of a token's money may have been given back before it was forwarded.
    ///
    /// - Parameter decided: the SQL of the decision's state.
    package static func state(after decided: String) -> String {
        "CASE WHEN \(decided) = 'captured' AND refunded = amount THEN 'refunded' ELSE \(decided) END"
    }

    /// The state after `amount` goes back, an SQL expression: what is not charged yet, or was refused, stays.
    package static func state(refunding amount: String) -> String {
        "CASE WHEN refunded + \(amount) = amount AND state NOT IN ('storedOffline', 'forwardDeclined') "
            + "THEN 'refunded' ELSE state END"
    }

    /// Undecided payments of a state; parameter: how many.
    package static let unknown =
        "SELECT \(columns), token, token_key, stored_at FROM payments WHERE state = 'unknown' "
        + "ORDER BY decided_at DESC, key DESC LIMIT "

    /// By the hub's clock at their arrival and by their places in the journal: a terminal's own clock may
    /// have been set back between two.
    package static let storedOffline =
        "SELECT \(columns), token, token_key, stored_at FROM (SELECT *, row_number() OVER "
        + "(PARTITION BY terminal_id ORDER BY decided_at, entry, key) AS place FROM (SELECT *, "
        + "(SELECT m.sequence FROM orders o JOIN mutations m ON m.id = o.mutation_id "
        + "WHERE \(EntryRows.isOrder("o", mintedAs: "payments.order_id")) AND o.terminal_id = payments.terminal_id LIMIT 1) AS entry "
        + "FROM payments WHERE state IN (\(undecided)) AND state = 'storedOffline') AS entered) AS stored "
        + "ORDER BY place, decided_at, key LIMIT "

    /// What a call that was refused for good leaves.
    package static func alarm(
        of call: PaymentCall, terminalId: String, at now: Int64
    ) -> Alarm {
        switch call.kind {
        case .capture: debtAlarm(of: terminalId, at: now)
        case .refund: Alarm(kind: .paymentRefundRefused, terminalId: terminalId, at: now)
        case .void: Alarm(kind: .paymentVoidRefused, terminalId: terminalId, at: now)
        }
    }

    /// A card's money that nobody has.
    package static func debtAlarm(of terminalId: String, at now: Int64) -> Alarm {
        Alarm(kind: .paymentForwardDeclined, terminalId: terminalId, at: now)
    }

    /// The reason of a debt whose capture was refused.
    package static let captureRefused = "capture_refused"

    /// Nil where there is no token any more.
    package static func sealed(keyId: String?, token: String?) -> PaymentDetails.SealedToken? {
        guard let keyId, let token else { return nil }
        return PaymentDetails.SealedToken(keyId: keyId, token: token)
    }
}
