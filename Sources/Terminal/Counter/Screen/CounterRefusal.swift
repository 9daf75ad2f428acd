package import AgentAPI
internal import HubProtocol

/// What the hub refused, or what is held back here, as one row that a person decides on.
package struct CounterRefusal: Hashable, Sendable {
    /// What can be decided.
    package enum Kind: Hashable, Sendable {
        /// The hub refused it for good.
        case rejected
        /// The hub has something else; one of the two stays.
        case conflicted
        /// Its content is not what was written, so that it is not sent.
        case heldBack
    }

    /// What was recorded, as a cashier names it.
    package enum Subject: Hashable, Sendable {
        case sale, refund, void, cardVoid, cashMovement, shift, note, member
        /// A type that the counter has no word for.
        case other(type: String)
    }

    /// The mutation's ULID.
    package let id: String
    /// What can be decided on it.
    package let kind: Kind
    /// What was recorded.
    package let subject: Subject
    /// Of the sale, or of the sale that came back; nil: it has none.
    package let orderNumber: String?
    /// What the goods came to; nil for what has no amount, or none that can be read.
    package let total: MoneyAmount?
    /// Minor units that came into the drawer with it; below 0: they left it. When it was made, for good.
    package let cash: Int64
    /// RFC 3339.
    package let madeAt: String
    /// The hub's reason; nil: it gave none.
    package let reason: String?
    /// The code of that reason, for a language that the hub does not write; nil: it gave none.
    package let reasonCode: String?

    /// Those of a list that was read, in the order in which they need a decision: what is held back comes
    /// first, since nothing behind it is sent.
    static func all(of list: RefusalListCall.Response) -> [CounterRefusal] {
        list.heldBack.map {
            CounterRefusal(
                id: $0.id, kind: .heldBack, type: $0.type, orderNumber: $0.orderNumber, madeAt: $0.madeAt,
                reason: nil, reasonCode: nil, payload: $0.payload ?? .null)
        }
            + list.items.map {
                CounterRefusal(
                    id: $0.id, kind: $0.state == "conflicted" ? .conflicted : .rejected, type: $0.type,
                    orderNumber: $0.orderNumber, madeAt: $0.madeAt, reason: $0.problemText,
                    reasonCode: $0.problem?["code"]?.string, payload: $0.payload)
            }
    }

    private init(
        id: String, kind: Kind, type: String, orderNumber: String?, madeAt: String, reason: String?,
        reasonCode: String?, payload: JSONValue
    ) {
        (self.id, self.kind, self.orderNumber) = (id, kind, orderNumber)
        (self.madeAt, self.reason, self.reasonCode) = (madeAt, reason, reasonCode)
        let subject = Subject(type: type)
        self.subject = subject
        let entry = EntryMembers(shown: payload)
        total = (entry.total ?? entry.amount).flatMap { amount in
            entry.currency.map { MoneyAmount(amount, $0) }
        }
        let moved = CompletedOrder(shown: payload)
        let inCash = (moved.payments ?? []).filter { $0.kind == .cash }
        let sum = inCash.reduce(Int64(0)) { $0.addingReportingOverflow($1.amount ?? 0).0 }
        cash =
            switch subject {
            case .sale: sum - (moved.change ?? 0)
            case .refund: -sum
            // The payload of a void names what cards get back alone.
            case .void, .cardVoid, .cashMovement, .shift, .note, .member, .other: 0
            }
    }
}

extension CounterRefusal.Subject {
    fileprivate init(type: String) {
        self =
            switch type {
            case "order.completed": .sale
            case "refund.completed": .refund
            case "order.voided": .void
            case "payment.voided": .cardVoid
            case let type where type.hasPrefix("cash."): .cashMovement
            case let type where type.hasPrefix("shift."): .shift
            case let type where type.hasPrefix("note."): .note
            case let type where type.hasPrefix("member."): .member
            case let type: .other(type: type)
            }
    }
}
