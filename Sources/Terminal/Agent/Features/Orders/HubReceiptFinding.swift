internal import CurlTransport
internal import HubProtocol
internal import Retail

/// Sales of receipts over the hub's route for them.
struct HubReceiptFinding: ReceiptFinding {
    let hub: HubClient

    /// A hub of an earlier version does not have the route, which is the same as not having the sale.
    func find(_ receipt: ReceiptCode) async throws(InquiryError) -> FoundReceipt {
        do throws(HubCallError) {
            return .sale(try await hub.receiptSale(code: receipt.text))
        } catch .refused(let problem) where problem.code == .notFound {
            return .unmatched
        } catch .refused(let problem) where problem.code == .receiptCodeInvalid {
            return .invalid
        } catch {
            throw InquiryError(error)
        }
    }
}
