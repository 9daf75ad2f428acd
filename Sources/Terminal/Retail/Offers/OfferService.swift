internal import Pricing

/// Determines the reductions of a sale: from the hub's response, and without one from the terminal's own
/// copy.
struct OfferService: Sendable {
    let hub: any OfferEvaluating
    let offerCopy: any OfferCopy
    let inquiry: HubInquiry

    /// Whether a sale with `coupons` needs an evaluation.
    func isRequested(about coupons: [String]) -> Bool { offerCopy.hasPromotions || !coupons.isEmpty }

    /// - Throws: ``SaleRefusal/couponRefused(code:objection:)``; ``SaleRefusal/notRecorded(detail:)`` when
    ///   the terminal's own copy cannot be read.
    func response(
        to query: OfferQuery, within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> OfferResponse {
        let found = await inquiry.query(.marketing, within: waiting) { [hub] () throws(InquiryError) in
            let response = try await hub.response(to: query)
            guard response.fits(query) else { throw .unclear(detail: "the response is about another sale") }
            return response
        }
        let response: OfferResponse
        if let found { response = found } else { response = try await ownResponse(to: query) }
        for coupon in response.coupons {
            guard let objection = coupon.objection else { continue }
            throw .couponRefused(code: coupon.code, objection: objection)
        }
        return response
    }

    /// The subjects of the leases that a sale with `coupons` needs, by code as it was typed.
    ///
    /// - Parameter named: those of which the evaluation says that they need one.
    func limited(
        _ coupons: [String], named: Set<String>
    ) async throws(SaleRefusal) -> [String: String] {
        do throws(InquiryError) {
            return try await offerCopy.limited(coupons, named: named)
        } catch {
            throw SaleRefusal(error)
        }
    }

    /// When the offers of `query` can change by time alone, Unix milliseconds; nil: at no known moment.
    func nextChange(for query: OfferQuery) async throws(SaleRefusal) -> Int64? {
        do throws(InquiryError) {
            return try await offerCopy.nextChange(for: query)
        } catch {
            throw SaleRefusal(error)
        }
    }

    /// A terminal without any coupons cannot check one: the hub checks it later.
    private func ownResponse(to query: OfferQuery) async throws(SaleRefusal) -> OfferResponse {
        var readable = query
        let unread = offerCopy.hasCoupons ? [] : query.coupons
        if !unread.isEmpty { readable.coupons = [] }
        do throws(InquiryError) {
            var response = try await offerCopy.response(to: readable)
            response.coupons += unread.map { Reductions.CouponResponse(code: $0, objection: nil) }
            return response
        } catch {
            throw SaleRefusal(error)
        }
    }
}

extension SaleRefusal {
    /// The refusal of a sale whose offers the terminal's own copy could not give.
    fileprivate init(_ error: InquiryError) {
        switch error {
        case .unclear(let detail), .unavailable(let detail): self = .notRecorded(detail: detail)
        }
    }
}
