package import HubProtocol

/// A lease that this terminal can spend of.
package struct HeldLease: Hashable, Sendable {
    /// A ULID.
    package let id: String
    /// What is lent.
    package let kind: LeaseKind
    /// Whose, as the terminal has it: of a coupon the digest.
    package let subject: String
    /// What the sales of this terminal left of it.
    package let left: Int64
    /// Milliseconds since 1970 by the hub's clock.
    package let expiresAt: Int64

    package init(id: String, kind: LeaseKind, subject: String, left: Int64, expiresAt: Int64) {
        self.id = id
        self.kind = kind
        self.subject = subject
        self.left = left
        self.expiresAt = expiresAt
    }
}

/// What the hub lent this terminal. A sale that uses a lease counts that in its own transaction
/// (``SaleContent/leases``).
package protocol LeaseWallet: Sendable {
    /// The leases of a subject that can be spent now, the next to expire first.
    ///
    /// - Parameter hubTime: the hub's clock; nil: the hub has not responded in this run.
    func held(
        _ kind: LeaseKind, of subject: String, at hubTime: Int64?
    ) async throws(StorageError) -> [HeldLease]

    /// Keeps what the hub lent; an older version than the known one changes nothing.
    func keep(_ lent: LentLeases) async throws(StorageError)

    /// Lets nothing more be spent of the leases that the hub recalled, but for those in `needed`.
    ///
    /// Durable when it returns, also for a database that is restored from an old copy later.
    ///
    /// - Returns: these leases, and those of before of which the hub has not responded; nil: there are none.
    func giveUp(except needed: Set<String>) async throws(StorageError) -> LeaseReturn?

    /// The hub has responded to the return of these leases.
    func noteReturned(_ leaseIds: [String]) async throws(StorageError)

    /// The epoch of the terminal's journal.
    func epoch() async throws(StorageError) -> Int64

    /// The terminal's store, of whose limit for cards it has leases; nil: the terminal is not enrolled.
    func storeId() async throws(StorageError) -> String?
}

/// Requests leases from the hub.
package protocol LeaseLending: Sendable {
    /// The terminal's leases of the subject, after the hub has lent what the request lacks as far as it can.
    func lend(_ wanted: LeaseRequest) async throws(InquiryError) -> LentLeases

    /// Returns leases; the response has what is lent to the terminal again.
    func giveBack(_ leases: LeaseReturn) async throws(InquiryError) -> LentLeases
}

/// Takes parts of leases from the other tills of the store, where the hub lends nothing.
package protocol LeaseSharing: Sendable {
    /// Whether any of them can be requested now.
    var canTake: Bool { get async }

    /// Takes up to `amount` of a subject, in the unit of its leases; what came is in the wallet when this
    /// returns. A sale waits for that no longer than `neighbours.waitMilliseconds` in all.
    ///
    /// - Parameter waited: what the sale waited before.
    func take(_ amount: Int64, of subject: String, after waited: Duration) async
}

/// A terminal that is lent nothing.
package struct NoLeases: LeaseWallet, LeaseLending, LeaseSharing {
    package init() {}

    /// Never.
    package var canTake: Bool { false }

    /// Takes nothing.
    package func take(_ amount: Int64, of subject: String, after waited: Duration) async {}

    /// Always none.
    package func held(
        _ kind: LeaseKind, of subject: String, at hubTime: Int64?
    ) async throws(StorageError) -> [HeldLease] { [] }

    package func keep(_ lent: LentLeases) async throws(StorageError) {}

    /// Has none.
    package func giveUp(except needed: Set<String>) async throws(StorageError) -> LeaseReturn? { nil }

    /// Keeps nothing.
    package func noteReturned(_ leaseIds: [String]) async throws(StorageError) {}

    /// Always the first one.
    package func epoch() async throws(StorageError) -> Int64 { 1 }

    /// Always nil.
    package func storeId() async throws(StorageError) -> String? { nil }

    /// Always none.
    package func lend(_ wanted: LeaseRequest) async throws(InquiryError) -> LentLeases {
        LentLeases(leases: [])
    }

    /// Always none.
    package func giveBack(_ leases: LeaseReturn) async throws(InquiryError) -> LentLeases {
        LentLeases(leases: [])
    }
}

extension [HeldLease] {
    /// What all of them leave.
    var left: Int64 {
        reduce(0) { sum, lease in
            let (next, overflows) = sum.addingReportingOverflow(lease.left)
            return overflows ? .max : next
        }
    }

    /// What a sale uses of them for `amount`, which is at most what they leave: the next to expire first.
    func uses(for amount: Int64) -> [LeaseUse] {
        var (open, uses) = (amount, [LeaseUse]())
        for lease in self where open > 0 && lease.left > 0 {
            let part = Swift.min(open, lease.left)
            uses.append(
                LeaseUse(leaseId: lease.id, kind: lease.kind, subject: lease.subject, amount: part))
            open -= part
        }
        return uses
    }
}
