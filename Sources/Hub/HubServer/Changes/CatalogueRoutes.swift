internal import HubCore
internal import HubProtocol
internal import HubStore

/// The catalogue and its change feed (http.md sections 4 and 6).
struct CatalogueRoutes: Sendable {
    let ledger: any Ledger
    let keys: HubKeys
    /// Writes long pages, terminal by terminal.
    let bodies: FairWorker
    /// What the terminals get to know of it.
    let payments: PaymentService
    let now: @Sendable () -> Int64
    /// What terminals are lent in advance.
    let leases: LeaseService
    /// Whether a terminal may have what is about people and offers.
    let isConfirmed: @Sendable (_ terminalId: String) -> Bool

    var routes: [Route] {
        [
            Route(.get, Routes.changes, response: changes),
            Route(.get, Routes.productByBarcode, response: product),
        ]
    }

    @Sendable private func changes(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let limit = try Self.limit(request.query("limit"))
        let part: FeedPart = isConfirmed(device.terminalId) ? .whole : .ofUnconfirmed
        // A terminal that names no schema counts as the oldest version.
        let schema = try request.clampedHeader(HeaderNames.schema, into: 0...(1 << 31)) ?? Schema.minimum
        if part == .whole, request.knowsLeases { await leases.lendAhead(to: device) }
        let page: FeedPage?
        do {
            let cursor = try cursor(request.query("cursor"), of: part)
            let view = FeedView(ledger: ledger, payments: payments.kind, sign: keys.signed)
            page = try await view.page(
                after: cursor, limit: limit, storeId: device.storeId, terminalId: device.terminalId,
                schema: schema, at: now())
        } catch is UnknownCursor {
            page = nil
        }
        guard let page else {
            return HubResponse.problem(.cursorExpired).with("Cache-Control", "no-store")
        }
        let cursor = try keys.signed(part.rawValue + page.cursor.text, for: .cursor)
        let length = page.changes.count * Self.usualRow
        return try await bodies.work(on: length, of: device.terminalId) { () throws(Problem) in
            let response = ChangePage(
                changes: page.changes.filter { part.has($0, for: device) }, cursor: cursor,
                hasMore: page.hasMore)
            return HubResponse.json(response.json).with("Cache-Control", "no-store")
        }
    }

    /// Bytes of an article's row: only whether a page counts as a long one depends on it.
    private static let usualRow = 256

    private static func limit(_ text: String?) throws(Problem) -> Int {
        guard let text else { return 500 }
        guard let limit = ClampedNumber.value(of: text, in: 1...1000) else {
            throw .malformed("limit is a whole number from 1 to 1000.")
        }
        return Int(limit)
    }

    private func cursor(_ text: String?, of part: FeedPart) throws(UnknownCursor) -> ChangeCursor? {
        guard let text, !text.isEmpty else { return nil }
        guard let claims = keys.opened(text, for: .cursor), let claim = part.claim(in: claims),
            let cursor = ChangeCursor(claim)
        else { throw UnknownCursor() }
        return cursor
    }

    @Sendable private func product(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let barcode = request.parameters["barcode"] ?? ""
        guard let product = try await ledger.product(barcode: barcode),
            let listed = try await product.inStore(device.storeId, at: now(), by: ledger)
        else { throw Problem.notFound("No product of this store has this barcode.") }
        return .json(listed.json)
    }
}

extension ProductRecord {
    /// The article as one store sells it at a moment; nil where the store does not.
    fileprivate func inStore(
        _ storeId: String, at moment: Int64, by ledger: any Ledger
    ) async throws(LedgerError) -> ProductRecord? {
        let listings = try await ledger.entities(ofKind: ListingRecord.entity, about: [sku], for: storeId)
        guard ListingRecord.isListed(by: listings.compactMap { try? ListingRecord(json: $0) }, in: storeId)
        else { return nil }
        let prices = try await ledger.entities(ofKind: PriceRecord.entity, about: [sku], for: storeId)
            .compactMap { try? PriceRecord(json: $0) }
        return PriceRecord.price(of: prices, in: storeId, at: moment).map { priced(at: $0) } ?? self
    }
}

private struct UnknownCursor: Error {}

/// What of the feed a terminal gets. Each part has cursors of its own: a terminal that is confirmed starts
/// again without one and gets all that was held back.
private enum FeedPart: String {
    case whole = ""
    /// Products and the terminal's own notes.
    case ofUnconfirmed = "unconfirmed-"

    func has(_ change: Change, for device: DeviceIdentity) -> Bool {
        switch (self, change.entity) {
        case (.whole, _), (.ofUnconfirmed, "product"), (.ofUnconfirmed, PriceRecord.entity),
            (.ofUnconfirmed, ListingRecord.entity), (.ofUnconfirmed, StockRecord.entity):
            true
        case (.ofUnconfirmed, "note"): change.origin?["terminalId"]?.string == device.terminalId
        case (.ofUnconfirmed, _): false
        }
    }

    /// Reads a cursor of this part; nil for one of the other part.
    func claim(in claims: String) -> String? {
        let mark = Self.ofUnconfirmed.rawValue
        switch (self, claims.hasPrefix(mark)) {
        case (.whole, false): return claims
        case (.ofUnconfirmed, true): return String(claims.dropFirst(mark.count))
        case (.whole, true), (.ofUnconfirmed, false): return nil
        }
    }
}

extension Problem {
    fileprivate static let cursorExpired = Problem(
        status: 410, code: .cursorExpired, title: "The cursor cannot be served",
        detail: "Start again without a cursor.")
}
