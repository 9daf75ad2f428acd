internal import OfflineCore
internal import Retail

/// The hub's final word on a mutation, as the journal's column `verdict` holds it.
enum Verdict: String {
    /// No verdict yet: the column is empty.
    case none = ""
    case applied
    case rejected
    case conflicted
    /// It was refused, and an edit stands in for it.
    case superseded
    /// It was refused, and a person gave it up.
    case discarded

    init(column: String?) {
        self = column.flatMap(Verdict.init(rawValue:)) ?? .none
    }

    /// The verdict of `result`; nil for what is none.
    ///
    /// A duplicate's verdict is the first answer's, which comes with it.
    init?(_ result: PushResult) {
        switch result.outcome {
        case .applied: self = .applied
        case .rejected: self = .rejected
        case .conflict: self = .conflicted
        case .duplicate: self = Verdict.first(in: result.detail)
        case .deferred, .retry: return nil
        }
    }

    var orderState: Order.SyncState {
        switch self {
        case .none: .pending
        case .applied: .acknowledged
        case .rejected: .rejected
        case .conflicted: .conflicted
        case .superseded: .pending
        case .discarded: .discarded
        }
    }
}
