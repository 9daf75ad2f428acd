public import HubProtocol

/// What the hub takes off a sale (http.md section 6). The request changes nothing: a coupon is used up by the
/// sale that contains it.
extension HubClient {
    /// `POST /v1/promotions/evaluate`. Lines and coupons of the result have the order of `basket`.
    public func reductions(for basket: BasketShape) async throws(HubCallError) -> ReductionsShape {
        let call = HubCall(.post, template: Routes.promotionEvaluation, body: basket.json.canonicalBytes)
        return try await result(of: call, ReductionsShape.init(json:))
    }
}
