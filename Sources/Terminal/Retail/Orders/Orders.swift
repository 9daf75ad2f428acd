package import Base
package import MachineRuntime
package import OfflineMode

internal import OfflineCore

/// What can be done with the orders of this terminal afterwards; all of it works offline.
package struct Orders: Sendable {
    let archive: any OrderArchive
    let modes: any OfflineModeProviding
    let delivery: any SaleDelivery
    let time: any SystemTime
    let authority: Authority
    let receipts: ReceiptPorts
    let cardReturns: CardReturns?
    private let currentPolicy: @Sendable () -> CheckoutPolicy

    /// Makes the service; `policy` is evaluated at each use, so that a changed configuration counts at once.
    ///
    /// - Parameter cardReturns: sends to the card machine what goes back to cards; nil, the default: nothing
    ///   is sent.
    package init(
        archive: any OrderArchive, modes: any OfflineModeProviding, delivery: any SaleDelivery,
        time: any SystemTime, authority: Authority, receipts: ReceiptPorts, cardReturns: CardReturns? = nil,
        policy: @autoclosure @escaping @Sendable () -> CheckoutPolicy
    ) {
        self.archive = archive
        self.modes = modes
        self.delivery = delivery
        self.time = time
        self.authority = authority
        self.receipts = receipts
        self.cardReturns = cardReturns
        currentPolicy = policy
    }

    var policy: CheckoutPolicy { currentPolicy() }

    func authorize(
        _ claim: PersonClaim, _ action: ApprovalAction, isApproved: Bool = false
    ) async throws(OrderRefusal) -> Authorization {
        do throws(AuthorityRefusal) {
            return try await authority.authorize(claim, [action], isApproved: isApproved)
        } catch {
            throw .authority(error)
        }
    }

    /// The newest orders that match, at most `limit`; without conditions all do.
    ///
    /// - Parameter orderId: where a page of before ended: only older orders; nil, the default: from the
    ///   newest on.
    package func search(
        _ search: OrderSearch = OrderSearch(), limit: Int, before orderId: String? = nil
    ) async throws(OrderRefusal) -> [Order] {
        return try await OrderRefusal.accessing(
            await archive.orders(matching: search, limit: limit, before: orderId))
    }

    /// What was sold, voided and refunded since `moment`, Unix milliseconds, in its order.
    package func events(since moment: Int64) async throws(OrderRefusal) -> [OrderEvent] {
        return try await OrderRefusal.accessing(await archive.events(since: moment))
    }

    package func show(_ idOrNumber: String) async throws(OrderRefusal) -> Order {
        let found = try await OrderRefusal.accessing(await archive.order(idOrNumber))
        guard let found else { throw .unknownOrder(idOrNumber) }
        return found
    }

    /// The receipt of an order as text, made again.
    ///
    /// - Parameter isCopy: whether it is marked as a copy. Default false.
    package func receipt(of order: Order, isCopy: Bool = false) -> String {
        Receipt(sale: order.sale, policy: policy, isCopy: isCopy).text
    }

    package func paper(of sale: Sale, in language: Language) -> [ReceiptPart] {
        Receipt(sale: sale, policy: policy, texts: language.receiptTexts).parts
    }

    /// The slip of a refund for paper.
    package func paper(of refund: Refund, in language: Language) -> [ReceiptPart] {
        RefundReceipt(refund: refund, policy: policy, texts: language.receiptTexts).parts
    }

    /// The lines on top of every receipt.
    package var receiptHeader: [String] { policy.receiptHeader }

    /// Voids an order permanently: the hub gets the void after the order itself, its stock comes back, and a
    /// card payment on it is voided too. The hub decides it within the wait budget, before anything is
    /// recorded; without a response it is voided. Durable when it returns. What the
    /// terminal's own card machine charged is requested back from it once at once, then until it responds.
    ///
    /// - Parameters:
    ///   - claim: who voids it, and who approves that where the store requires an approver.
    ///   - attachments: sent with it; the hub gets the void once it has all their bytes.
    package func void(
        _ idOrNumber: String, by claim: PersonClaim, reason: String? = nil,
        attachments: [Attachment] = []
    ) async throws(OrderRefusal) -> Order {
        let order = try await show(idOrNumber)
        guard order.sale.voidedAt == nil else {
            throw .voidedAlready(orderNumber: order.sale.orderNumber.description)
        }
        let person = try await authorize(claim, .void)
        let judgement = try await permit(voidOf: order.sale)
        let now = time.wallMilliseconds()
        var entry = VoidEntry(
            mode: modes.status.mode, madeAt: now, businessDay: policy.calendar.day(at: now),
            cashierId: person.cashierId, approverId: person.approverId, reason: reason,
            attachments: attachments)
        entry.judgement = judgement
        let voided: Order
        do throws(StorageError) {
            voided = try await archive.void(orderId: order.sale.orderId, with: entry)
        } catch {
            await release(order.sale.orderId, after: error)
            throw OrderRefusal(error)
        }
        guard voided.sale.voidedAt != nil else {
            await release(order.sale.orderId)
            throw .refundedAlready(orderNumber: order.sale.orderNumber.description)
        }
        receipts.unrecorded.end(order.sale.orderId)
        delivery.nudge()
        guard !voided.returns.waiting.isEmpty else { return voided }
        // What any card would get is a refund, whoever may void.
        var isAttended = person.approverId != nil
        if !isAttended { isAttended = (try? await authorize(claim, .refund)) != nil }
        try? await cardReturns?.send(of: voided.sale.orderId, isAttended: isAttended)
        return (try? await show(voided.sale.orderId)) ?? voided
    }
}
