internal import HubCore
internal import HubProtocol
internal import HubStore

/// The catalogue and its change feed (http.md sections 4 and 6).
struct CatalogueRoutes: Sendable {
    let ledger: any CatalogueLedger
    let keys: HubKeys

    var routes: [Route] {
        [
            Route(.get, Routes.changes, answer: changes),
            Route(.get, Routes.productByBarcode, answer: product),
        ]
    }

    @Sendable private func changes(_ request: HubRequest) async throws -> Answer {
        let device = try request.requireDevice()
        let limit = try Self.limit(request.query("limit"))
        let page: FeedPage?
        do {
            let cursor = try cursor(request.query("cursor"))
            page = try await ledger.changes(after: cursor, limit: limit, storeId: device.storeId)
        } catch is UnknownCursor {
            page = nil
        }
        guard let page else {
            return Answer.problem(.cursorExpired).with("Cache-Control", "no-store")
        }
        let answer = ChangePage(
            changes: page.changes, cursor: try keys.signed(page.cursor.text, for: .cursor),
            hasMore: page.hasMore)
        return Answer.json(answer.json).with("Cache-Control", "no-store")
    }

    private static func limit(_ text: String?) throws(Problem) -> Int {
        guard let text else { return 500 }
        guard let limit = ClampedNumber.value(of: text, in: 1...1000) else {
            throw .malformed("limit is a whole number from 1 to 1000.")
        }
        return Int(limit)
    }

    private func cursor(_ text: String?) throws(UnknownCursor) -> ChangeCursor? {
        guard let text, !text.isEmpty else { return nil }
        guard let claims = keys.opened(text, for: .cursor), let cursor = ChangeCursor(claims) else {
            throw UnknownCursor()
        }
        return cursor
    }

    @Sendable private func product(_ request: HubRequest) async throws -> Answer {
        let barcode = request.parameters["barcode"] ?? ""
        guard let product = try await ledger.product(barcode: barcode) else {
            throw Problem.notFound("No product has this barcode.")
        }
        return .json(product.json)
    }
}

private struct UnknownCursor: Error {}

extension Problem {
    fileprivate static let cursorExpired = Problem(
        status: 410, code: .cursorExpired, title: "The cursor cannot be served",
        detail: "Start again without a cursor.")
}
