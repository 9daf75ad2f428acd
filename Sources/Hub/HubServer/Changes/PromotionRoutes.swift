internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Pricing

/// The marketing service: what offers take off a sale (http.md section 6).
struct PromotionRoutes: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64
    /// Reads long baskets, and works out what offers take off them, terminal by terminal.
    let bodies: FairWorker
    let indexes = PromotionIndexes()

    var routes: [Route] { [Route(.post, Routes.promotionEvaluation, .confirmedDevice, response: evaluate)] }

    @Sendable private func evaluate(_ request: HubRequest) async throws -> HubResponse {
        let (device, bytes) = (try request.requireDevice(), try await request.body())
        let shape = try await bodies.work(on: bytes.count, of: device.terminalId) { () throws(Problem) in
            let body = try HubRequest.bounded(bytes)
            return try Problem.reading(BasketShape(json: body))
        }
        let lines = try priced(shape, departments: try await departments(of: shape))
        let storeId = device.storeId
        let index = try await indexes.index(of: storeId, in: ledger)
        let coupons = try await ledger.coupons(typed: shape.coupons).compactMapValues {
            try? Coupon(json: $0)
        }
        let moment = now()
        let basket = Basket(
            lines: lines, coupons: shape.coupons, memberId: shape.memberId,
            membership: index.concernsMembers ? try await membership(of: shape.memberId) : nil,
            moment: moment,
            clock: try await clock(of: storeId, by: shape, at: moment), isOffline: false)
        return try await bodies.work(on: bytes.count, of: device.terminalId) { () throws(Problem) in
            do throws(PricingError) {
                return .json(
                    ReductionsShape(try Offers(index, typed: coupons).reductions(for: basket)).json)
            } catch {
                throw Problem.invalidBasket(error)
            }
        }
    }

    /// Of a member whom the hub has; nil: no such member.
    private func membership(of memberId: String?) async throws(LedgerError) -> Basket.Membership? {
        guard let memberId else { return nil }
        guard let value = try await ledger.memberOfPerson(memberId).value else { return nil }
        return Basket.Membership(tier: value["tier"]?.string)
    }

    /// By the time zone that the terminal has, so that both give the same hours; else by that of the store's
    /// settings.
    private func clock(
        of storeId: String, by shape: BasketShape, at moment: Int64
    ) async throws(LedgerError) -> StoreClock {
        var zone = shape.timeZone.flatMap(TimeZone.init(identifier:))
        if zone == nil {
            let name = try await ledger.storeSettings(of: storeId).values["store.timeZone"]?.string
            zone = name.flatMap(TimeZone.init(identifier:))
        }
        guard let zone else { return .utc }
        let date = Date(timeIntervalSince1970: Double(moment) / 1_000)
        return StoreClock(offsetSeconds: Int64(zone.secondsFromGMT(for: date)))
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
