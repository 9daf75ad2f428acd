internal import HubProtocol

/// Sales as a till of a shop records them, with all members that the hub keeps.
extension ScriptedTill {
    /// A kind of entry whose disk is measured.
    enum ShopEntry: Hashable {
        case sale(lines: Int, isCard: Bool)
        /// Of one line that was sold as many entries before.
        case refund(ofSaleBefore: Int64)
    }

    /// The authorisations of the cards that the next sales name, one request each.
    func authorizations(ofNext count: Int, lines: Int) -> [[UInt8]] {
        (1...Int64(count)).map { next in
            let number = sequence + next
            let body: JSONValue = [
                "orderId": .string(ulid(number)),
                "amount": ["amount": .integer(Self.total(lines, of: number)), "currency": "CNY"],
            ]
            return HubConnection.request(
                "POST", Routes.authorizations,
                headers: headers + ["\(HeaderNames.idempotencyKey): \(cardKey(of: number))"],
                body: body.canonicalBytes)
        }
    }

    /// The next entries as one push.
    func push(_ count: Int, of entry: ShopEntry) -> [UInt8] {
        let mutations = (0..<count).map { _ -> String in
            let sealed =
                switch entry {
                case .sale(let lines, let isCard): shopSale(lines: lines, isCard: isCard)
                case .refund(let back): shopRefund(of: sequence + 1 - back)
                }
            return String(decoding: sealed.bytes, as: UTF8.self)
        }
        let body = "{\"epoch\":1,\"mutations\":[" + mutations.joined(separator: ",") + "]}"
        return HubConnection.request(
            "POST", "/v1/mutations/batch", headers: headers, body: Array(body.utf8))
    }

    private static func article(of number: Int64, at place: Int) -> Int {
        (Int(number) + place) % Baskets.articles
    }

    private static func total(_ lines: Int, of number: Int64) -> Int64 {
        (0..<lines).reduce(0) { $0 + Baskets.price(article(of: number, at: $1)) }
    }

    private func cardKey(of number: Int64) -> String { ulid(number) + "-1" }

    /// Sales and refunds of a shop have these.
    private static let common: JSONObject = [
        "businessDay": "2026-11-21", "cashRounding": 0, "cashierId": "anna", "currency": "CNY",
        "hubTime": "2026-11-21T09:00:00.000Z", "mode": "online", "taxIncluded": true,
        "timeZone": "Europe/Berlin",
    ]

    /// The tax of the whole is that of the sum; the last line has what the others leave of it.
    private func lines(_ count: Int, of number: Int64) -> [JSONValue] {
        var rest = Self.tax(of: Self.total(count, of: number))
        return (0..<count).map { place in
            let article = Self.article(of: number, at: place)
            let price = Baskets.price(article)
            let tax = place == count - 1 ? rest : Self.tax(of: price)
            rest -= tax
            return [
                "sku": .string("B\(1_000 + article)"), "barcode": .string(Baskets.barcode(article)),
                "name": .string(Baskets.name(article)), "department": .string(Baskets.department(article)),
                "quantityMilli": 1_000, "unitPrice": .integer(price), "discount": 0,
                "total": .integer(price), "taxBasisPoints": 1_300, "tax": .integer(tax),
            ]
        }
    }

    /// Included in an amount, at 13 %.
    private static func tax(of amount: Int64) -> Int64 { (amount * 1_300 + 5_650) / 11_300 }

    private func shopSale(lines count: Int, isCard: Bool) -> SealedMutation {
        let number = sequence + 1
        let total = JSONValue.integer(Self.total(count, of: number))
        var payment: JSONObject = ["method": .string(isCard ? "card" : "cash"), "amount": total]
        if isCard {
            payment["kind"] = "card"
            payment["key"] = .string(cardKey(of: number))
            payment["approvalCode"] = "SIM-APPROVED"
        }
        var payload = Self.common
        payload["orderId"] = .string(ulid(number))
        payload["orderNumber"] = .string("S1-\(terminalNumber)-20261121-\(number)")
        payload["lines"] = .array(lines(count, of: number))
        payload["total"] = total
        payload["tax"] = .integer(Self.tax(of: Self.total(count, of: number)))
        payload["change"] = 0
        payload["payments"] = [.object(payment)]
        return seal("order.completed", "order", .object(payload))
    }

    private func shopRefund(of number: Int64) -> SealedMutation {
        let total = JSONValue.integer(Self.total(1, of: number))
        var payload = Self.common
        payload["refundId"] = .string(ulid(sequence + 1))
        payload["orderId"] = .string(ulid(number))
        payload["lines"] = .array(lines(1, of: number))
        payload["total"] = total
        payload["tax"] = .integer(Self.tax(of: Self.total(1, of: number)))
        payload["payments"] = [["method": "cash", "amount": total]]
        payload["reason"] = "damaged"
        payload["approverId"] = "boris"
        return seal("refund.completed", "refund", .object(payload))
    }
}
