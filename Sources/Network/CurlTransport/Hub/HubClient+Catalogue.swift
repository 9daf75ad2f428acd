public import HubProtocol
internal import OfflineCore

/// What the terminal reads of the hub's data.
extension HubClient {
    /// The longest page that is accepted complete, in bytes: twice the 2 MiB after which a hub ends a page,
    /// since the row that crosses this limit is still in the page. Half of it would refuse correct pages;
    /// doubled, a small terminal keeps more of them in memory than it needs.
    private static let pageBytes = 4 << 20
    /// The longest response that is read for the cursor after a row, in bytes. A hub accepts bodies of 1 MiB,
    /// so no correct row comes near it; beyond it the pull fails and is tried again.
    private static let rowBytes = 64 << 20
    /// For reading such a row: 64 MiB within it need a connection of 9 Mbit/s, and a page has a sixth of this
    /// time.
    private static let rowTimeout = Duration.seconds(60)

    /// One page of the change feed; a nil `cursor` begins at the beginning.
    ///
    /// - Parameter limit: 1 to 1,000 changes.
    /// - Throws: `.refused` with code `cursor_expired` when the pull has to start again without a cursor.
    public func changes(cursor: String?, limit: Int) async throws(HubCallError) -> ChangeResponse {
        precondition((1...1000).contains(limit), "a page holds 1 to 1,000 changes")
        let hubCall = HubCall.changes(cursor: cursor, limit: limit, maximumBodyBytes: Self.pageBytes)
        var page: ChangePage?
        let reply = await call(hubCall) { reply in
            page = reply.json.flatMap { try? ChangePage(json: $0) }
            return page != nil
        }
        if let page { return .page(page) }
        switch (reply.failure, reply.outcome) {
        case (.responseTooLarge, _): return .tooLarge
        case (.deadlinePassed(.receiving), _): return .tooSlow
        case (nil, .service(.brokenBody)): return .unreadable
        case (_, _): throw Self.reason(of: reply)
        }
    }

    /// The cursor after the next row, without the row's value: for a row that is too large, or that this
    /// version cannot read.
    public func changeBehind(cursor: String?) async throws(HubCallError) -> PassedChange {
        var call = HubCall.changes(cursor: cursor, limit: 1, maximumBodyBytes: Self.rowBytes)
        call.timeout = Self.rowTimeout
        call.keepsOutline = true
        return try await result(of: call, PassedChange.init(json:))
    }

    /// The product with `barcode`, an opaque text.
    ///
    /// - Throws: `.refused` with code `not_found` when the hub has none.
    public func product(barcode: String) async throws(HubCallError) -> ProductRecord {
        let call = HubCall(
            .get, template: Routes.productByBarcode,
            path: Routes.productByBarcode.filled("barcode", barcode))
        return try await result(of: call, ProductRecord.init(json:))
    }
}

extension HubCall {
    fileprivate static func changes(cursor: String?, limit: Int, maximumBodyBytes: Int) -> HubCall {
        let position = cursor.map { "&cursor=\($0.percentEncoded)" } ?? ""
        return HubCall(
            .get, template: Routes.changes, path: "\(Routes.changes)?limit=\(limit)\(position)",
            maximumBodyBytes: maximumBodyBytes)
    }
}

/// The result of a request for changes. Every case but a page may be caused by its rows: a request for fewer
/// rows may succeed.
public enum ChangeResponse: Hashable, Sendable {
    case page(ChangePage)
    /// Larger than a terminal accepts.
    case tooLarge
    /// It is complete and breaks the contract: one of its rows cannot be read.
    case unreadable
    /// It began and was not complete in time; its rows are unknown.
    case tooSlow
}

/// A row of the change feed that was skipped, and the cursor after it.
public struct PassedChange: Hashable, Sendable {
    /// Empty where the row has none.
    public let entity: String
    /// Empty where the row has none, or one that is too long.
    public let entityId: String
    /// The page without its row.
    public let page: ChangePage

    init(json: JSONValue) throws(ShapeError) {
        let rows = try json.requiredArray("changes")
        guard rows.count <= 1 else { throw ShapeError(path: "changes", expected: "one row at most") }
        entity = rows.first?["entity"]?.string ?? ""
        entityId = rows.first?["entityId"]?.string ?? ""
        let cursor = try json.requiredString("cursor")
        guard !cursor.isEmpty else { throw ShapeError(path: "cursor", expected: "a cursor") }
        page = ChangePage(changes: [], cursor: cursor, hasMore: json["hasMore"]?.bool ?? false)
    }
}

extension String {
    /// A route template with one of its variables filled in.
    func filled(_ variable: String, _ value: String) -> String {
        guard let range = firstRange(of: "{\(variable)}") else { return self }
        return replacing(range, with: value.percentEncoded)
    }

    func firstRange(of part: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }

    private func replacing(_ range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
