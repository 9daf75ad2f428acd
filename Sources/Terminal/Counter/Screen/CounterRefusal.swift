internal import AgentAPI

/// What the hub refused, or what is held back here, as one row that a person decides on.
public struct CounterRefusal: Hashable, Sendable {
    /// What can be decided.
    public enum Kind: Hashable, Sendable {
        /// The hub refused it for good.
        case rejected
        /// The hub has something else; one of the two stays.
        case conflicted
        /// Its content is not what was written, so that it is not sent.
        case heldBack
    }

    /// The mutation's ULID.
    public let id: String
    /// What can be decided on it.
    public let kind: Kind
    /// The order's number, or the type of the mutation.
    public let title: String
    /// RFC 3339.
    public let madeAt: String
    /// The hub's reason; nil: it gave none.
    public let reason: String?

    /// Those of a list that was read, in the order in which they need a decision: what is held back comes
    /// first, since nothing behind it is sent.
    static func all(of list: RefusalListCall.Response) -> [CounterRefusal] {
        list.heldBack.map {
            CounterRefusal(
                id: $0.id, kind: .heldBack, title: $0.orderNumber ?? $0.type, madeAt: $0.madeAt, reason: nil)
        }
            + list.items.map {
                CounterRefusal(
                    id: $0.id, kind: $0.state == "conflicted" ? .conflicted : .rejected,
                    title: $0.orderNumber ?? $0.type, madeAt: $0.madeAt, reason: $0.problemText)
            }
    }
}
