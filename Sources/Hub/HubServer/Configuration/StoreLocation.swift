internal import HubStore
internal import HubStorePostgres

/// Where the orders are kept; key `store`.
package enum StoreLocation: Hashable, Sendable {
    /// `sqlite:PATH`: a file that one process owns.
    case sqlite(path: String)
    /// `postgresql://…`: a database that any number of hubs share.
    case postgresql(url: String)

    /// Reads the key's value; nil for neither.
    package init?(_ text: String) {
        if PostgresURL.isOne(text) {
            self = .postgresql(url: text)
        } else if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else {
            return nil
        }
    }

    /// Why this database must not be used as it stands; nil when it may: one on this machine, or one whose
    /// certificate is verified.
    ///
    /// - Parameter environment: libpq's own variables count as it counts them.
    package func insecurity(in environment: [String: String]) -> String? {
        guard case .postgresql(let url) = self, !PostgresURL.isLocal(url, environment) else { return nil }
        let mode = PostgresURL.parameter("sslmode", of: url) ?? environment["PGSSLMODE"]
        guard mode != "verify-full" else { return nil }
        return "the database \(shown) is on another machine and its certificate is not verified, although "
            + "the connection carries the hub's keys; add sslmode=verify-full to the URL, or accept it with "
            + "--allow-insecure-database"
    }

    /// As the key's value, without a password.
    package var shown: String {
        switch self {
        case .sqlite(let path): "sqlite:" + path
        case .postgresql(let url): PostgresURL.shown(url)
        }
    }
}

/// A URL has the database's password in it.
extension StoreLocation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// ``shown``.
    package var description: String { shown }
    /// ``shown``.
    package var debugDescription: String { shown }
    /// Without children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
