import Base
import OfflineCore
import OfflineMode
import Synchronization

/// A module of the business: an order is sent where its route is online, else kept and sent later.
final class Orders: OfflineModeParticipant {
    static let route = APIRoute(method: "POST", template: "/orders")
    static let service = BusinessService("order", routes: [route])

    /// What became of the orders, and what the module was notified of.
    struct Book {
        fileprivate(set) var sent = 0
        fileprivate(set) var kept = 0
        /// The newest last, at most four.
        fileprivate(set) var notices: [String] = []
    }

    private let book = Mutex(Book())

    var page: Book { book.withLock { $0 } }

    /// One order: its result is evidence on the service.
    func place(over line: ShopLine, _ offline: OfflineService, at now: Instant) {
        guard offline.route(of: Self.service.name) == .online else { return book.withLock { $0.kept += 1 } }
        let outcome = line.outcome
        book.withLock { book in
            guard outcome == .success else { return book.kept += 1 }
            book.sent += 1 + book.kept
            book.kept = 0
        }
        offline.requestFinished(
            RequestOutcome(
                api: Self.route, outcome: outcome, startedAt: now, firstByteAt: nil, finishedAt: now))
    }

    func terminalWillGoOffline(causes: [OfflineCause]) async {
        note("will go offline: \(causes.map(\.rawValue).joined(separator: ", "))")
    }

    func terminalDidComeOnline() async { note("is online again") }

    private func note(_ text: String) {
        book.withLock { $0.notices = Array(($0.notices + [text]).suffix(4)) }
    }
}
