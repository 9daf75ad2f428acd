internal import HubStore

/// Where the orders are kept; key `store`.
public enum StoreLocation: Hashable, Sendable {
    /// `sqlite:PATH`: a file that one process owns.
    case sqlite(path: String)
    /// `postgresql://…`: a database that any number of hubs share.
    case postgresql(url: String)

    /// Reads what the key says; nil for neither.
    public init?(_ text: String) {
        if PostgresURL.isOne(text) {
            self = .postgresql(url: text)
        } else if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else {
            return nil
        }
    }

    /// As the key says it, without a password.
    public var shown: String {
        switch self {
        case .sqlite(let path): "sqlite:" + path
        case .postgresql(let url): PostgresURL.shown(url)
        }
    }
}
