internal import CurlTransport
internal import HubProtocol
internal import Pricing
internal import Retail

/// Offers over the hub's route of promotions.
struct HubOfferEvaluating: OfferEvaluating {
    let hub: HubClient

    func answer(to question: OfferQuestion) async throws(InquiryError) -> OfferAnswer {
        do throws(HubCallError) {
            let answer = try await hub.reductions(for: BasketShape(question))
            return OfferAnswer(lines: answer.lines, coupons: answer.coupons)
        } catch {
            throw InquiryError(error)
        }
    }
}

extension BasketShape {
    fileprivate init(_ question: OfferQuestion) {
        self.init(
            memberId: question.memberId, coupons: question.coupons,
            lines: question.lines.map { line in
                Line(
                    sku: line.sku, department: line.department, quantityMilli: line.price.quantityMilli,
                    unitPrice: line.price.unitPrice, discount: line.price.discount)
            })
    }
}
