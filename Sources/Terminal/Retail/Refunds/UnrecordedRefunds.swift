internal import Synchronization

/// The refunds and voids that the hub may have granted, and that are neither on the disk nor given back.
///
/// The hub ends a grant with the first head that the terminal signed after it, once it has everything up to
/// that head. While the outcome of an inquiry is open the terminal therefore signs none: a head between the
/// grant and the refund's commit would free what is about to be paid out. A process that was
/// killed has none open.
package final class UnrecordedRefunds: Sendable {
    private let ids = Mutex<Set<String>>([])

    /// Without any.
    package init() {}

    /// Whether the outcome of each inquiry is on the disk, or given back.
    package var isEmpty: Bool { ids.withLock(\.isEmpty) }

    /// Whether the outcome of the inquiry of this id is open.
    package func contains(_ refundId: String) -> Bool { ids.withLock { $0.contains(refundId) } }

    /// The inquiry of this id is about to be sent.
    func begin(_ refundId: String) {
        _ = ids.withLock { $0.insert(refundId) }
    }

    /// It is recorded, refused or given back.
    func end(_ refundId: String) {
        _ = ids.withLock { $0.remove(refundId) }
    }
}
