import HubProtocol
import Retail
import Synchronization
import Testing

@testable import Agent

@Suite("The leases of a till on an older disk")
struct WitnessedWalletTests {
    /// A wallet with one lease of every subject.
    private struct Full: LeaseWallet {
        func held(
            _ kind: LeaseKind, of subject: String, at hubTime: Int64?
        ) async throws(StorageError) -> [HeldLease] {
            [HeldLease(id: "L", kind: kind, subject: subject, left: 5, expiresAt: 1)]
        }

        func keep(_ lent: LentLeases) async throws(StorageError) {}
        func giveUp(except needed: Set<String>) async throws(StorageError) -> LeaseReturn? { nil }
        func noteReturned(_ leaseIds: [String]) async throws(StorageError) {}
        func epoch() async throws(StorageError) -> Int64 { 3 }
        func storeId() async throws(StorageError) -> String? { "S1" }
    }

    @Test("Nothing of them is spent until the hub gave it a new epoch")
    func behind() async throws {
        let isBehind = Mutex(true)
        let wallet = WitnessedWallet(wallet: Full()) { isBehind.withLock { $0 } }
        #expect(try await wallet.held(.points, of: "M", at: 0) == [])
        #expect(try await wallet.epoch() == 3)
        isBehind.withLock { $0 = false }
        #expect(try await wallet.held(.points, of: "M", at: 0).map(\.left) == [5])
    }
}
