/// Why an order was not shown or changed.
public enum OrderRefusal: Refusal {
    case unknownOrder(String)
    case voidedAlready(orderNumber: String)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    public var code: String {
        switch self {
        case .unknownOrder: "unknown_order"
        case .voidedAlready: "voided_already"
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    public var message: String {
        switch self {
        case .unknownOrder(let id): "This terminal has no order \(id); look it up with `pos orders list`."
        case .voidedAlready(let number): "The order \(number) is voided already; nothing was changed."
        case .diskFull(let path): "The disk of \(path) is full, nothing was changed; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was changed: \(detail)."
        case .notEnrolled: "The terminal belongs to no store yet; run `pos init`."
        }
    }

    public var exit: RefusalExit {
        switch self {
        case .unknownOrder, .voidedAlready: .rule
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    init(_ error: LedgerError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .notEnrolled: self = .notEnrolled
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        }
    }
}
