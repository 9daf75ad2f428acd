internal import Pricing

/// Determines the reductions of a sale: from the hub's response, and without one from the terminal's own
/// copy.
struct OfferService: Sendable {
    let hub: any OfferEvaluating
    let offerCopy: any OfferCopy
    let inquiry: HubInquiry

    /// Whether a sale with `coupons` needs an evaluation.
    func isAsked(about coupons: [String]) -> Bool { offerCopy.hasPromotions || !coupons.isEmpty }

    /// - Throws: ``SaleRefusal/couponRefused(code:objection:)``; ``SaleRefusal/notRecorded(detail:)`` when
    ///   the terminal's own copy cannot be read.
    func answer(
        to question: OfferQuestion, policy: CheckoutPolicy
    ) async throws(SaleRefusal) -> OfferAnswer {
        let asked = await inquiry.ask("marketing", within: policy) { [hub] () throws(InquiryError) in
            let answer = try await hub.answer(to: question)
            guard answer.fits(question) else { throw .unclear(detail: "the response is about another sale") }
            return answer
        }
        let answer: OfferAnswer
        if let asked { answer = asked } else { answer = try await ownAnswer(to: question) }
        for coupon in answer.coupons {
            guard let objection = coupon.objection else { continue }
            throw .couponRefused(code: coupon.code, objection: objection)
        }
        return answer
    }

    /// A terminal without any coupons cannot check one: the hub checks it later.
    private func ownAnswer(to question: OfferQuestion) async throws(SaleRefusal) -> OfferAnswer {
        var readable = question
        let unread = offerCopy.hasCoupons ? [] : question.coupons
        if !unread.isEmpty { readable.coupons = [] }
        do throws(InquiryError) {
            var answer = try await offerCopy.answer(to: readable)
            answer.coupons += unread.map { Reductions.CouponAnswer(code: $0, objection: nil) }
            return answer
        } catch {
            switch error {
            case .unclear(let detail), .unavailable(let detail): throw .notRecorded(detail: detail)
            }
        }
    }
}
