internal import HubProtocol
internal import Retail

/// The leases of a till that may run from an older copy of its disk: what another till has seen of it may
/// have been spent, so that nothing is spent until the hub gave it a new epoch. It sells on without them.
struct WitnessedWallet: LeaseWallet {
    let wallet: any LeaseWallet
    let isBehind: @Sendable () -> Bool

    func held(
        _ kind: LeaseKind, of subject: String, at hubTime: Int64?
    ) async throws(StorageError) -> [HeldLease] {
        isBehind() ? [] : try await wallet.held(kind, of: subject, at: hubTime)
    }

    func keep(_ lent: LentLeases) async throws(StorageError) { try await wallet.keep(lent) }

    func giveUp(except needed: Set<String>) async throws(StorageError) -> LeaseReturn? {
        try await wallet.giveUp(except: needed)
    }

    func noteReturned(_ leaseIds: [String]) async throws(StorageError) {
        try await wallet.noteReturned(leaseIds)
    }

    func epoch() async throws(StorageError) -> Int64 { try await wallet.epoch() }

    func storeId() async throws(StorageError) -> String? { try await wallet.storeId() }
}
