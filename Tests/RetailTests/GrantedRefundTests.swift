import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Synchronization
import Testing

@Suite("Refunds that another till may make")
struct GrantedRefundTests {
    /// What this till granted, and whether it gets it back.
    private final class Sellers: RefundSelling {
        let silence = Mutex(Duration.seconds(60))
        let isReady = Mutex(true)
        let takenBack = Mutex<[String]>([])

        var unseen: [String]? { [] }
        func returned(of orderNumber: String) -> [String: Int64] { [:] }
        func decide(
            _ inquiry: RefundInquiry, of orderNumber: String, by seller: String
        ) async -> SellerDecision { .silent }

        func granted() async throws(StorageError) -> [GrantedRefund] {
            let silence = silence.withLock { $0 }
            return [("R2", 9), ("R1", 5 as Int64)].map { id, madeAt in
                let claim = RightClaim(claimId: id, kind: .receipt, right: "S-1", amount: 300)
                return GrantedRefund(
                    GrantedRight(claim, of: .receipt, to: "T2", madeAt: madeAt), terminalNumber: 2,
                    silence: silence)
            }
        }

        func takeBack(_ refund: GrantedRefund) async -> Bool {
            guard isReady.withLock({ $0 }) else { return false }
            takenBack.withLock { $0.append(refund.refundId) }
            return true
        }

        func end(_ refundId: String, isMade: Bool) {}
    }

    private let sellers = Sellers()

    private func orders() throws -> Orders {
        let ports = ScriptedPorts()
        ports.copy.with {
            $0.pins = ["c1": "1234", "m1": "999999"]
            $0.managers = ["m1"]
        }
        let (checkout, policy) = (try ports.checkout(listing: []), try ScriptedPorts.policy())
        return Orders(
            archive: OneOrder(), modes: ports, delivery: ports, time: ports, authority: checkout.authority,
            receipts: ReceiptPorts(
                hub: NoReceipts(), keys: NoReceipts(), catalogue: ports, waits: ports.saleWaits,
                sellers: sellers), policy: policy)
    }

    private let cashier = PersonClaim(cashierId: "c1", pin: "1234")
    private let manager = PersonClaim(
        cashierId: "c1", pin: "1234", approver: .init(id: "m1", pin: "999999"))

    @Test("The oldest is listed first, and a manager takes one back from a till that was silent for a minute")
    func takenBack() async throws {
        let orders = try orders()
        let listed = try await orders.grantedRefunds()
        #expect(listed.map(\.refundId) == ["R1", "R2"])
        await #expect(throws: OrderRefusal.authority(.approvalRequired(.refund, .nobody))) {
            try await orders.takeBack("R2", by: cashier)
        }
        await #expect(throws: OrderRefusal.unknownGrant("R3")) {
            try await orders.takeBack("R3", by: manager)
        }
        sellers.silence.withLock { $0 = .milliseconds(59_999) }
        await #expect(throws: OrderRefusal.takerHeard(till: "2")) {
            try await orders.takeBack("R2", by: manager)
        }
        sellers.silence.withLock { $0 = .seconds(60) }
        sellers.isReady.withLock { $0 = false }
        await #expect(throws: OrderRefusal.notTakenBack("R2")) {
            try await orders.takeBack("R2", by: manager)
        }
        #expect(sellers.takenBack.withLock { $0 } == [])
        sellers.isReady.withLock { $0 = true }
        #expect(try await orders.takeBack("R2", by: manager).amount == 300)
        #expect(sellers.takenBack.withLock { $0 } == ["R2"])
    }
}
