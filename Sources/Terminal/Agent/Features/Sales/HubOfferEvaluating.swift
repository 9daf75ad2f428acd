internal import CurlTransport
internal import HubProtocol
internal import Pricing
internal import Retail

/// Offers over the hub's route of promotions.
struct HubOfferEvaluating: OfferEvaluating {
    let hub: HubClient

    func response(to query: OfferQuery) async throws(InquiryError) -> OfferResponse {
        do throws(HubCallError) {
            let response = try await hub.reductions(for: BasketShape(query))
            return OfferResponse(lines: response.lines, coupons: response.coupons)
        } catch {
            throw InquiryError(error)
        }
    }
}

extension BasketShape {
    fileprivate init(_ query: OfferQuery) {
        self.init(
            memberId: query.memberId, coupons: query.coupons, timeZone: query.zone.name,
            lines: query.lines.map { line in
                Line(
                    sku: line.sku, department: line.department, quantityMilli: line.price.quantityMilli,
                    unitPrice: line.price.unitPrice, discount: line.price.discount)
            })
    }
}
