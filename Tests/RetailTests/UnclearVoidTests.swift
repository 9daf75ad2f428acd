import Base
import HubProtocol
import OfflineCore
import MachineRuntime
import OfflineMode
import Pricing
import Synchronization
import Testing

@testable import Retail

@Suite("A void that the store did not record")
struct UnclearVoidTests {
    /// An archive of one order, which records nothing.
    private struct FailingArchive: OrderArchive {
        let one: Order
        let failure: StorageError

        func orders(
            matching search: OrderSearch, limit: Int, before orderId: String?
        ) async throws(StorageError) -> [Order] { [one] }
        func events(since moment: Int64) async throws(StorageError) -> [OrderEvent] { [] }
        func order(_ idOrNumber: String) async throws(StorageError) -> Order? { one }
        func void(orderId: String, with entry: VoidEntry) async throws(StorageError) -> Order {
            throw failure
        }
        func plan(_ refund: RefundDraft) async throws(StorageError) -> Result<RefundPlan, OrderRefusal> {
            .failure(.amountTooLarge)
        }
        func refund(_ refund: RefundDraft) async throws(StorageError) -> Result<Refund, OrderRefusal> {
            throw failure
        }
        func refund(id: String) async throws(StorageError) -> Refund? { nil }
    }

    /// A hub that grants everything.
    private final class GrantingHub: RefundDeciding, ReceiptFinding, ReceiptKeys {
        private let state = Mutex((inquiries: 0, released: [String]()))

        var inquiries: Int { state.withLock(\.inquiries) }
        var released: [String] { state.withLock(\.released) }

        func decide(_ inquiry: RefundInquiry) async throws(InquiryError) -> RefundDecision {
            state.withLock { $0.inquiries += 1 }
            return RefundDecision(.granted)
        }
        func release(_ refundId: String) async throws(InquiryError) {
            state.withLock { $0.released.append(refundId) }
        }
        func find(_ receipt: ReceiptCode) async throws(InquiryError) -> FoundReceipt { .unmatched }
        func key(of terminalId: String) -> TerminalKey? { nil }
    }

    @Test(
        "stays reserved at the hub where a failed sync may have left it, and is given back else",
        arguments: [
            (StorageError.unavailable(detail: "fsync"), [String]()), (.diskFull(path: "/d"), ["o"]),
        ])
    func reservation(failure: StorageError, released: [String]) async throws {
        let (ports, hub) = (ScriptedPorts(), GrantingHub())
        let calendar = try #require(BusinessCalendar(timeZone: "Asia/Shanghai"))
        let day = try #require(BusinessDay(number: 20_261_121))
        let sale = Sale(
            key: ULID(high: 1, low: 1), orderId: "o",
            orderNumber: OrderNumber(storeId: "S", terminalNumber: 1, businessDay: day, counter: 1),
            mutationId: "m",
            content: SaleContent(
                mode: .online, madeAt: 0, timeZone: "UTC", currency: "CNY", cashierId: nil, memberId: nil,
                coupons: [], lines: [], totals: try ReceiptTotals(lines: []), payments: [], cashRounding: 0,
                change: 0), isAcknowledged: true, voidedAt: nil)
        let checkout = try ports.checkout(listing: [])
        let receipts = ReceiptPorts(
            hub: hub, keys: hub, catalogue: ports, waits: ports.saleWaits, decisions: hub)
        let orders = Orders(
            archive: FailingArchive(one: Order(sale: sale, sync: .acknowledged), failure: failure),
            modes: ports, delivery: ports, time: ports, authority: checkout.authority, receipts: receipts,
            policy: CheckoutPolicy(calendar: calendar, receiptHeader: []))
        await #expect(throws: OrderRefusal(failure)) { try await orders.void("o", by: PersonClaim()) }
        #expect(hub.inquiries == 1)
        #expect(hub.released == released)
        // The next head of the journal goes out, and says whether the void is in it.
        #expect(receipts.unrecorded.isEmpty)
    }
}
