internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Pricing

/// The marketing service: what offers take off a sale (http.md section 6).
struct PromotionRoutes: Sendable {
    let ledger: any CatalogueLedger & EntityLedger
    let now: @Sendable () -> Int64

    var routes: [Route] { [Route(.post, Routes.promotionEvaluation, .confirmedDevice, response: evaluate)] }

    @Sendable private func evaluate(_ request: HubRequest) async throws -> HubResponse {
        let shape = try Self.read(try await request.json())
        let lines = try priced(shape, departments: try await departments(of: shape))
        let basket = Basket(
            lines: lines, coupons: shape.coupons, memberId: shape.memberId, moment: now(), isOffline: false)
        let device = try request.requireDevice()
        let offers = try await offers(naming: shape.coupons, in: device.storeId)
        do throws(PricingError) {
            return .json(ReductionsShape(try offers.reductions(for: basket)).json)
        } catch {
            throw Problem.invalidBasket(error)
        }
    }

    private static func read(_ json: JSONValue) throws(Problem) -> BasketShape {
        do throws(ShapeError) {
            return try BasketShape(json: json)
        } catch {
            throw .malformed(error)
        }
    }

    /// Of the articles whose lines do not name it themselves.
    private func departments(of basket: BasketShape) async throws -> [String: String] {
        let skus = basket.lines.filter { $0.department == nil }.map(\.sku)
        guard !skus.isEmpty else { return [:] }
        let products = try await ledger.products(skus: skus)
        return Dictionary(products.map { ($0.sku, $0.department) }) { first, _ in first }
    }

    private func priced(
        _ basket: BasketShape, departments: [String: String]
    ) throws(Problem) -> [Basket.Line] {
        do throws(PricingError) {
            var lines: [Basket.Line] = []
            for line in basket.lines {
                let priced = try PricedLine(
                    quantityMilli: line.quantityMilli, unitPrice: line.unitPrice, discount: line.discount,
                    taxBasisPoints: 0)
                lines.append(
                    Basket.Line(
                        sku: line.sku, department: line.department ?? departments[line.sku] ?? "",
                        quantityMilli: line.quantityMilli, price: priced.total))
            }
            return lines
        } catch {
            throw .invalidBasket(error)
        }
    }

    /// The store's promotions, and of the coupons those that the sale brings.
    private func offers(naming codes: [String], in storeId: String) async throws -> Offers {
        let promotions = try await ledger.entities(ofKind: "promotion", for: storeId)
        let coupons = try await ledger.coupons(typed: codes)
        return Offers(
            promotions: promotions.compactMap { try? Promotion(json: $0) },
            typed: coupons.compactMapValues { try? Coupon(json: $0) })
    }
}

extension Problem {
    fileprivate static func invalidBasket(_ error: PricingError) -> Problem {
        let message =
            switch error {
            case .discountAboveLine: "A line's discount is larger than the line."
            case _: "The amounts are more than money can hold."
            }
        return Problem(
            status: 422, code: .invalidBasket, title: "The basket has no price", detail: message)
    }
}
