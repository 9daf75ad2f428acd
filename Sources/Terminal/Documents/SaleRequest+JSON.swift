internal import HubProtocol
internal import OfflineCore
internal import Retail

extension SaleRequest {
    private static let known = PersonClaim.members.union([
        "key", "lines", "payments", "memberId", "coupons", "quotedTotalMinor", "clockConfirmed",
    ])
    private static let knownInLine: Set = [
        "barcode", "quantityMilli", "unitPriceMinor", "discountMinor", "discountReason",
    ]
    private static let knownInPayment: Set = ["method", "amountMinor"]

    /// Reads a request line of `pos sell --stdin`. A misspelt field is refused: it could be a price.
    init(json: JSONValue) throws(TerminalError) {
        let fields = RequestFields(json, path: "", of: .sale)
        try fields.refuseUnknown(Self.known)
        let keyText = try fields.text("key")
        let key = keyText.flatMap { ULID($0) }
        if let keyText, key == nil {
            throw fields.malformed("key", "a ULID, 26 characters, and not \"\(keyText)\"")
        }
        guard let listed = try fields.list("lines") else { throw fields.malformed("lines", "an array") }
        var lines: [Line] = []
        for (index, line) in listed.enumerated() { lines.append(try Self.line(line, at: index)) }
        var payments: [Payment] = []
        for (index, payment) in (try fields.list("payments") ?? []).enumerated() {
            payments.append(try Self.payment(payment, at: index))
        }
        let claim = try PersonClaim(fields)
        self.init(
            key: key, lines: lines, payments: payments, memberId: try fields.text("memberId"),
            coupons: try fields.texts("coupons"), cashierId: claim.cashierId, pin: claim.pin,
            approver: claim.approver, quotedTotalMinor: try fields.integer("quotedTotalMinor"),
            isClockConfirmed: json["clockConfirmed"]?.bool == true)
    }

    private static func line(_ json: JSONValue, at index: Int) throws(TerminalError) -> Line {
        let fields = RequestFields(json, path: "lines[\(index)].", of: .sale)
        try fields.refuseUnknown(knownInLine)
        guard let barcode = try fields.text("barcode") else {
            throw fields.malformed("barcode", "a string")
        }
        return Line(
            barcode: barcode, quantityMilli: try fields.integer("quantityMilli") ?? 1000,
            unitPriceMinor: try fields.integer("unitPriceMinor"),
            discountMinor: try fields.integer("discountMinor"),
            discountReason: try fields.text("discountReason"))
    }

    private static func payment(_ json: JSONValue, at index: Int) throws(TerminalError) -> Payment {
        let fields = RequestFields(json, path: "payments[\(index)].", of: .sale)
        try fields.refuseUnknown(knownInPayment)
        guard let method = try fields.text("method") else {
            throw fields.malformed("method", "cash or card")
        }
        return Payment(method: method, amountMinor: try fields.integer("amountMinor"))
    }
}
