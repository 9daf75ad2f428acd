import Foundation
package import HubProtocol

/// An enrolled till that mints its journal for tests.
package struct TillOverHTTP: Sendable {
    package let grant: EnrolmentGrant
    private var sequence: Int64 = 0
    private var previousHash = Mutation.genesisHash

    package init(_ grant: EnrolmentGrant) {
        self.grant = grant
    }

    package var headers: [String: String] {
        ["Authorization": "Bearer \(grant.token)", HeaderNames.schema: "1"]
    }

    package static func ulid() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return "01" + String((0..<24).map { _ in alphabet[Int.random(in: 0..<32)] })
    }

    /// The next entry of the journal.
    package mutating func minted(
        _ type: String, _ entityId: String, dependsOn: [String] = [], _ payload: JSONValue
    ) -> Mutation {
        sequence += 1
        let mutation = Mutation(
            id: Self.ulid(), sequence: sequence, type: type, entity: String(type.prefix { $0 != "." }),
            entityId: entityId, clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: previousHash,
            dependsOn: dependsOn, payload: payload)
        previousHash = mutation.hash
        return mutation
    }

    /// Today in UTC, as order numbers write it.
    private static var day: String {
        let now = Calendar(identifier: .iso8601).dateComponents(
            in: TimeZone(secondsFromGMT: 0) ?? .current, from: Date())
        return String((now.year ?? 0) * 10_000 + (now.month ?? 0) * 100 + (now.day ?? 0))
    }

    /// The next entry of the journal: a shift begins with 200.00 in the drawer.
    package mutating func shiftOpened(_ shiftId: String) -> Mutation {
        minted(ShiftOpening.type, shiftId, Self.opening(shiftId).json)
    }

    /// The next entry of the journal: the shift that began with the entry at `from` ends with what its cash
    /// sales came to.
    package mutating func shiftClosed(_ shiftId: String, from: Int64, sales: [Int64]) -> Mutation {
        var sums = ShiftSums()
        let total = sales.reduce(0, +)
        sums.sales = ShiftSums.Count(count: Int64(sales.count), total: total)
        sums.tenders = [ShiftSums.Tender(method: "cash", count: Int64(sales.count), amount: total)]
        sums.taxes = [ShiftSums.Tax(taxBasisPoints: 0, paid: total, tax: 0)]
        let closing = ShiftClosing(
            opening: Self.opening(shiftId), closedAt: 1_795_270_000_000, closedBy: "c2",
            cash: ShiftClosing.Cash(expected: 20_000 + total, counted: 20_000 + total - 50), counted: [],
            sums: sums, from: from, to: sequence, head: previousHash)
        return minted(ShiftClosing.type, shiftId, closing.json)
    }

    private static func opening(_ shiftId: String) -> ShiftOpening {
        ShiftOpening(
            shiftId: shiftId, businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
            openedAt: 1_795_240_000_000, openedBy: "c1", float: 20_000)
    }

    /// The next entry of the journal: a sale of one piece, and of bags that cost nothing.
    package mutating func sale(
        total: Int64 = 1250, bags: Int = 0, coupons: [JSONValue]? = nil, paidBy payments: JSONValue? = nil,
        in shiftId: String? = nil
    ) -> Mutation {
        let orderId = Self.ulid()
        let piece: JSONValue = [
            "sku": "tea", "quantityMilli": 1000, "unitPrice": .integer(total), "discount": 0,
            "total": .integer(total), "taxBasisPoints": 0,
        ]
        let bag: JSONValue = [
            "sku": "b", "quantityMilli": 1000, "unitPrice": 0, "discount": 0, "total": 0, "taxBasisPoints": 0,
        ]
        return minted(
            "order.completed", orderId,
            [
                "shiftId": JSONValue(shiftId),
                "orderId": .string(orderId), "currency": "CNY", "taxIncluded": true,
                "orderNumber": .string(
                    "\(grant.storeId)-\(grant.terminalNumber)-\(Self.day)-\(sequence + 1)"),
                "lines": .array([piece] + Array(repeating: bag, count: bags)),
                "payments": payments ?? [["method": "cash", "amount": .integer(total)]],
                "total": .integer(total),
                "tax": 0, "change": 0, "coupons": coupons.map(JSONValue.array) ?? .null,
            ])
    }
}

extension LoopbackResponse {
    /// The body as JSON.
    package func json() throws -> JSONValue { try JSONParser.parse(body) }

    /// The stable code of a problem; nil for anything else.
    package var problemCode: String? {
        guard headers["content-type"] == Problem.contentType else { return nil }
        return (try? json())?["code"]?.string
    }
}
