import Foundation
import HubProtocol

/// What a hostile terminal writes into texts, and documents with each text that a terminal writes.
enum HostileTexts {
    /// As long as a request lets one text be, in bytes.
    static let long = String(repeating: "x", count: 900_000)
    /// What ends memory, acts on a screen or begins a line, is a formula, and turns the writing direction.
    static let all = [long, "a\u{1B}[2J\n\u{9B}b", "=HYPERLINK(\"http://evil\")", "10\u{202E}99\u{2066}"]

    /// The document once for each of its texts, with `text` in that text's place.
    ///
    /// - Parameter document: makes it, each time with ids of its own, so that none is a repetition.
    static func variants(of document: () -> JSONValue, with text: String) -> [JSONValue] {
        var count = Int.max
        _ = replacing(&count, with: text, in: document())
        return (0..<(Int.max - count)).map { place in
            var place = place
            return replacing(&place, with: text, in: document())
        }
    }

    /// Counts `place` down at each text, and replaces the one where it is 0.
    private static func replacing(_ place: inout Int, with text: String, in value: JSONValue) -> JSONValue {
        switch value {
        case .string:
            defer { place -= 1 }
            return place == 0 ? .string(text) : value
        case .array(let elements):
            var replaced: [JSONValue] = []
            for element in elements { replaced.append(replacing(&place, with: text, in: element)) }
            return .array(replaced)
        case .object(let members):
            var replaced = JSONObject()
            for (key, member) in members { replaced[key] = replacing(&place, with: text, in: member) }
            return .object(replaced)
        case _: return value
        }
    }

    /// A payload of each type of mutation, with every member that is a text.
    ///
    /// - Parameters:
    ///   - id: of its own for each payload.
    ///   - number: an order's number, of its own for each sale.
    ///   - day: today as `2026-11-26`.
    static func payloads(
        _ id: @escaping () -> String, day: String, number: @escaping () -> String
    ) -> [(type: String, payload: () -> JSONValue)] {
        let facts = facts(id, day: day, number: number)
        let rest: [(type: String, payload: () -> JSONValue)] = [
            ("note.upserted", { ["text": "t", "author": "a"] }), ("note.deleted", { ["author": "a"] }),
            ("member.created", { ["name": "n", "phone": "1", "tier": "t"] }),
            ("member.updated", { ["name": "n", "phone": "1", "tier": "t"] }),
            ("points.adjusted", { ["memberId": "m", "delta": 1, "reason": "r"] }),
            ("coupon.redeemed", { ["code": "C"] }),
            ("payment.voided", { ["key": .string(id()), "orderId": "o"] }),
            ("mutation.discarded", { ["discards": .string(id()), "reason": "r", "by": "b"] }),
            ("unknown.type", { ["text": "t"] }),
        ]
        return facts + rest
    }

    /// The types that say what has happened: the hub keeps them whatever their texts are.
    private static func facts(
        _ id: @escaping () -> String, day: String, number: @escaping () -> String
    ) -> [(type: String, payload: () -> JSONValue)] {
        [
            (
                "order.completed",
                {
                    [
                        "orderId": .string(id()), "orderNumber": .string(number()), "currency": "CNY",
                        "taxIncluded": true, "lines": [line], "total": 100, "tax": 0, "change": 0,
                        "payments": [["method": "cash", "amount": 100, "reference": "v"]],
                        "businessDay": .string(day), "cashierId": "c", "approverId": "m", "memberId": "m",
                        "shiftId": "s", "mode": "online", "coupons": ["C"],
                    ]
                }
            ),
            (
                "order.voided",
                { ["orderId": .string(id()), "reason": "r", "cashierId": "c", "shiftId": "s"] }
            ),
            (
                "refund.completed",
                {
                    [
                        "refundId": .string(id()), "orderId": .string(id()), "total": 1, "currency": "CNY",
                        "reason": "r", "businessDay": .string(day),
                        "lines": [["sku": "tea", "name": "Tea", "quantityMilli": 1]],
                        "payments": [["method": "cash", "amount": 1]], "cashierId": "c", "shiftId": "s",
                    ]
                }
            ),
            ("refund.completed", { ["refundId": .string(id()), "receiptCode": "HF1.x", "total": 1] }),
            (
                "shift.opened",
                {
                    [
                        "shiftId": .string(id()), "businessDay": .string(day), "timeZone": "Asia/Shanghai",
                        "currency": "CNY", "openedAt": .string(day + "T00:00:00.000Z"), "openedBy": "c",
                        "float": 1,
                    ]
                }
            ),
            (
                "cash.moved",
                {
                    [
                        "moveId": .string(id()), "shiftId": "s", "kind": "in", "amount": 1,
                        "currency": "CNY", "reason": "r", "cashierId": "c", "approverId": "m",
                    ]
                }
            ),
        ]
    }

    private static let line: JSONValue = [
        "sku": "tea", "barcode": "1", "name": "Tea", "quantityMilli": 1000, "unitPrice": 100, "discount": 0,
        "discountReason": "old", "total": 100, "taxBasisPoints": 0,
        "offers": [["promotionId": "p", "name": "Two", "coupon": "C"]],
    ]

    /// Requests with texts that the hub responds to at once, and refuses with one that is too long.
    static let requests: [(path: String, body: JSONValue)] = [
        (Routes.terminals, ["enrolmentCode": "x", "name": "x", "publicKey": "x"]),
        (Routes.receiptLookup, ["receiptCode": "x"]),
        (Routes.sessions, ["cashierId": "x", "pin": "1"]),
        (Routes.authorizations, ["orderId": "x", "amount": ["amount": 1, "currency": "CNY"]]),
        (Routes.attachments, ["id": "x", "sha256": "x", "size": 1, "contentType": "x"]),
        (
            Routes.refundDecisions,
            ["refundId": "x", "orderNumber": "x", "lines": [["sku": "x", "quantityMilli": 1]]]
        ),
        (Routes.promotionEvaluation, ["lines": [["sku": "x", "quantityMilli": 1]], "coupons": ["x"]]),
        (Routes.leases, ["memberId": "x"]),
    ]

    /// Every name that a text has in the description of the interface.
    static func documentedNames() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/openapi.yaml"), encoding: .utf8)
        let names = page.split(separator: "\n").filter {
            $0.contains("type: string") || $0.contains("[string,")
        }.compactMap { line in
            line.split(separator: ":").first.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Set(names.filter { $0.allSatisfy { $0.isASCII && $0.isLetter } }).sorted()
    }
}
