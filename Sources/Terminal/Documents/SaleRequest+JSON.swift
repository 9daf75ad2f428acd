internal import HubProtocol
internal import OfflineCore
internal import Retail

extension SaleRequest {
    private static let known: Set = [
        "key", "lines", "payments", "memberId", "coupons", "cashierId", "pin",
    ]
    private static let knownInLine: Set = [
        "barcode", "quantityMilli", "unitPriceMinor", "discountMinor", "discountReason",
    ]
    private static let knownInPayment: Set = ["method", "amountMinor"]

    /// Reads a request line of `pos sell --stdin`. A misspelt field is refused: it could be a price.
    init(json: JSONValue) throws(TerminalError) {
        let fields = Fields(json, path: "")
        try fields.refuseUnknown(Self.known)
        let keyText = try fields.text("key")
        let key = keyText.flatMap { ULID($0) }
        if let keyText, key == nil {
            throw Fields.malformed("key", "a ULID, 26 characters, and not \"\(keyText)\"")
        }
        guard let listed = try fields.list("lines") else { throw Fields.malformed("lines", "an array") }
        var lines: [Line] = []
        for (index, line) in listed.enumerated() { lines.append(try Self.line(line, at: index)) }
        var payments: [Payment] = []
        for (index, payment) in (try fields.list("payments") ?? []).enumerated() {
            payments.append(try Self.payment(payment, at: index))
        }
        self.init(
            key: key, lines: lines, payments: payments, memberId: try fields.text("memberId"),
            coupons: try fields.texts("coupons"), cashierId: try fields.text("cashierId"),
            pin: try fields.text("pin"))
    }

    private static func line(_ json: JSONValue, at index: Int) throws(TerminalError) -> Line {
        let fields = Fields(json, path: "lines[\(index)].")
        try fields.refuseUnknown(knownInLine)
        guard let barcode = try fields.text("barcode") else {
            throw Fields.malformed("lines[\(index)].barcode", "a string")
        }
        return Line(
            barcode: barcode, quantityMilli: try fields.integer("quantityMilli") ?? 1000,
            unitPriceMinor: try fields.integer("unitPriceMinor"),
            discountMinor: try fields.integer("discountMinor"),
            discountReason: try fields.text("discountReason"))
    }

    private static func payment(_ json: JSONValue, at index: Int) throws(TerminalError) -> Payment {
        let fields = Fields(json, path: "payments[\(index)].")
        try fields.refuseUnknown(knownInPayment)
        guard let method = try fields.text("method") else {
            throw Fields.malformed("payments[\(index)].method", "cash or card")
        }
        return Payment(method: method, amountMinor: try fields.integer("amountMinor"))
    }
}

/// The members of one object, read with errors that name their place.
struct Fields {
    private let members: JSONObject
    private let path: String
    private let isObject: Bool

    init(_ json: JSONValue, path: String) {
        members = json.object ?? [:]
        isObject = json.object != nil
        self.path = path
    }

    func refuseUnknown(_ known: Set<String>) throws(TerminalError) {
        guard isObject else {
            throw Self.malformed(path.isEmpty ? "the request" : String(path.dropLast()), "an object")
        }
        guard let unknown = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw TerminalError(
            .usage, code: "unknown_field",
            "\(path)\(unknown) is not a field of a sale; known are \(known.sorted().joined(separator: ", "))")
    }

    func text(_ name: String) throws(TerminalError) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.string else { throw Self.malformed(path + name, "a string") }
        return text
    }

    func integer(_ name: String) throws(TerminalError) -> Int64? {
        guard let value = present(name) else { return nil }
        guard let integer = value.integer else { throw Self.malformed(path + name, "an integer") }
        return integer
    }

    func list(_ name: String) throws(TerminalError) -> [JSONValue]? {
        guard let value = present(name) else { return nil }
        guard let list = value.array else { throw Self.malformed(path + name, "an array") }
        return list
    }

    func texts(_ name: String) throws(TerminalError) -> [String] {
        var texts: [String] = []
        for element in try list(name) ?? [] {
            guard let text = element.string else { throw Self.malformed(path + name, "an array of strings") }
            texts.append(text)
        }
        return texts
    }

    static func malformed(_ place: String, _ expected: String) -> TerminalError {
        TerminalError(.usage, code: "malformed_request", "\(place) must be \(expected); nothing was sold")
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }
}
