internal import HubProtocol
internal import OfflineCore
internal import Retail

/// What a person wants refunded: `{"lines":[{"barcode","quantityMilli"}],"reason","key"}` with who it is
/// (``PersonClaim``), all of it optional. A line without a quantity is all that is left of the article; no
/// line is all of the order.
struct RefundRequest {
    let items: [RefundEntry.Item]
    let reason: String?
    let claim: PersonClaim
    let key: ULID?

    private static let known = PersonClaim.members.union(["lines", "reason", "key", "attach", "urgent"])

    init(json: JSONValue?) throws(TerminalError) {
        let fields = RequestFields(json ?? [:], path: "", of: .refund)
        try fields.refuseUnknown(Self.known)
        (reason, claim) = (try fields.text("reason"), try PersonClaim(fields))
        let keyText = try fields.text("key")
        key = keyText.flatMap { ULID($0) }
        if let keyText, key == nil {
            throw fields.malformed("key", "a ULID, 26 characters, and not \"\(keyText)\"")
        }
        for (name, text) in [("reason", reason), ("cashierId", claim.cashierId)] {
            guard let text, text.utf8.count > Self.longestText else { continue }
            throw fields.malformed(name, "at most \(Self.longestText) bytes long")
        }
        var items: [RefundEntry.Item] = []
        for (index, line) in (try fields.list("lines") ?? []).enumerated() {
            let fields = RequestFields(line, path: "lines[\(index)].", of: .refund)
            try fields.refuseUnknown(["barcode", "quantityMilli"])
            guard let article = try fields.text("barcode") else {
                throw fields.malformed("barcode", "a barcode or sku of the order")
            }
            items.append(
                RefundEntry.Item(article: article, quantityMilli: try fields.integer("quantityMilli")))
        }
        self.items = items
    }

    /// In bytes.
    private static let longestText = 200
}
