internal import CurlTransport
internal import HubProtocol
internal import MachineRuntime
internal import Retail

/// Decisions about refunds over the hub's routes for them.
struct HubRefundDeciding: RefundDeciding {
    let hub: HubClient
    /// The clock by which the journal's heads are signed.
    let time: any SystemTime

    func decide(_ inquiry: RefundInquiry) async throws(InquiryError) -> RefundDecision {
        var inquiry = inquiry
        inquiry.date = time.wallMilliseconds()
        do throws(HubCallError) {
            return try await hub.refundDecision(inquiry)
        } catch {
            throw InquiryError(error)
        }
    }

    func release(_ refundId: String) async throws(InquiryError) {
        do throws(HubCallError) {
            try await hub.releaseRefund(refundId)
        } catch {
            throw InquiryError(error)
        }
    }
}

/// Sales of receipts over the hub's route for them.
struct HubReceiptFinding: ReceiptFinding {
    let hub: HubClient

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
