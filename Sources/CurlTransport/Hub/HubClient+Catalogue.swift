public import HubProtocol

/// What the terminal reads of the hub's data.
extension HubClient {
    /// One page of the change feed; a nil `cursor` begins at the beginning.
    ///
    /// - Parameter limit: 1 to 1,000 changes.
    /// - Throws: `.refused` with code `cursor_expired` when the pull has to begin anew without a cursor.
    public func changes(cursor: String?, limit: Int) async throws(HubCallError) -> ChangePage {
        precondition((1...1000).contains(limit), "a page holds 1 to 1,000 changes")
        let position = cursor.map { "&cursor=\($0.percentEncoded)" } ?? ""
        let call = HubCall(
            .get, template: Routes.changes, path: "\(Routes.changes)?limit=\(limit)\(position)",
            maximumBodyBytes: 16 << 20)
        return try await result(of: call, ChangePage.init(json:))
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
