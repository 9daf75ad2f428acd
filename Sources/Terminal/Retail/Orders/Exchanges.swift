package import Base

/// Goods that come back and goods that are sold for them, recorded together or not at all.
///
/// What comes back is worth cash in the sale: the customer pays the rest, or gets it.
package struct Exchanges: Sendable {
    private let orders: Orders
    private let checkout: Checkout

    package init(orders: Orders, checkout: Checkout) {
        self.orders = orders
        self.checkout = checkout
    }

    /// Sells `sold` and takes `returned` back, as the person of `sold`. Both have its key: the same key again
    /// returns the first exchange.
    ///
    /// - Throws: what ``Checkout/sell(_:receivedAt:)`` throws, and ``SaleRefusal/refund(_:)``; then neither
    ///   was recorded.
    package func exchange(
        _ sold: SaleRequest, for returned: RefundRequest, receivedAt: Instant? = nil
    ) async throws(SaleRefusal) -> SaleResult {
        var request = sold
        do throws(OrderRefusal) {
            request.returned = try await draft(of: returned, of: sold)
        } catch {
            throw .refund(error)
        }
        var result: SaleResult
        do throws(SaleRefusal) {
            result = try await checkout.sell(request, receivedAt: receivedAt)
        } catch {
            if let returned = request.returned {
                await orders.release(returned, after: StorageError(unclear: error))
            }
            throw error
        }
        if let returned = request.returned { orders.end(returned) }
        guard result.refund == nil, let key = request.key else { return result }
        // The first exchange of this key.
        do throws(StorageError) {
            result.refund = try await orders.archive.refund(id: key.description)
        } catch {
            throw SaleRefusal(error)
        }
        return result
    }

    /// Nil once the exchange was made: then nothing is left to decide.
    private func draft(
        of returned: RefundRequest, of sold: SaleRequest
    ) async throws(OrderRefusal) -> RefundDraft? {
        let known: Refund?
        do throws(StorageError) {
            if let key = sold.key {
                known = try await orders.archive.refund(id: key.description)
            } else {
                known = nil
            }
        } catch {
            throw OrderRefusal(error)
        }
        if let known {
            // A refund of its own under the same key is no exchange.
            guard let key = sold.key, (try? await checkout.recorded(key)) != nil else {
                throw .nothingLeft(orderNumber: known.orderNumber ?? "")
            }
            return nil
        }
        let request = RefundRequest(
            of: returned.origin, items: returned.items, by: sold.claim, key: sold.key,
            reason: returned.reason,
            isInCash: true)
        let waiting = SaleWaiting(budget: orders.delivery.waitBudget, isOfSale: false)
        var draft = try await orders.draft(of: request, within: waiting)
        draft = try await orders.decided(draft, within: waiting)
        if draft.promised == nil {
            let plan = try await orders.plan(draft)
            draft.promised = plan.total + plan.cashRounding
        }
        return draft
    }
}

extension StorageError {
    /// Of a sale that the store may have recorded although it failed; nil: the store has nothing of it.
    fileprivate init?(unclear refusal: SaleRefusal) {
        guard case .notRecorded(let detail) = refusal else { return nil }
        self = .unavailable(detail: detail)
    }
}
