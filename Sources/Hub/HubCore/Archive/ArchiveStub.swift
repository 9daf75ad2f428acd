package import HubProtocol

/// What stays of an entry's document once the document is in an archive: what refunds, voids, points, lists
/// and the audit compute with. The entry's row keeps its key, hashes, place and moments beside it.
package enum ArchiveStub {
    /// - Parameters:
    ///   - type: of the mutation.
    ///   - isApplied: whether it was accepted.
    ///   - document: the mutation as it is kept.
    /// - Returns: a document of the same shape with fewer members; empty where nothing is needed.
    package static func text(of type: String, isApplied: Bool, _ document: JSONValue) -> String {
        let payload = document["payload"] ?? .null
        let said = EntryMembers(shown: payload)
        var stub: JSONObject = [:]
        var kept = EntryMembers()
        kept.shiftId = said.shiftId
        guard isApplied else {
            // The audit adds up refused sales, and the list of refusals shows whose they are.
            (kept.currency, kept.orderNumber, kept.total) = (said.currency, said.orderNumber, said.total)
            stub["entityId"] = document["entityId"]
            stub["type"] = .string(type)
            stub["payload"] = kept.json
            return JSONValue.object(stub).canonicalText
        }
        stub["clientGeneratedAt"] = document["clientGeneratedAt"]
        switch type {
        case CompletedOrder.type:
            guard let sale = try? CompletedOrder(received: payload) else { return document.canonicalText }
            stub["payload"] = sale.stub.json
        case CompletedRefund.type, VoidedOrder.type:
            (kept.approverId, kept.hubTime, kept.reason) = (said.approverId, said.hubTime, said.reason)
            stub["payload"] = kept.json
        case ShiftOpening.type: stub["payload"] = kept.json
        case _: return ""
        }
        return JSONValue.object(stub).canonicalText
    }
}

extension CompletedOrder {
    /// With one line for each rate of tax in place of the lines: amounts, taxes and tenders come to the same.
    fileprivate var stub: CompletedOrder {
        var stub = self
        stub.lines = Dictionary(grouping: lines, by: \.taxBasisPoints)
            .sorted { ($0.key ?? -1) < ($1.key ?? -1) }
            .map { rate, lines in Line(rate, of: lines) }
        stub.payments = payments?.map { payment in
            var kept = RecordedPayment()
            kept.amount = payment.amount
            kept.authorizationKey = payment.authorizationKey
            kept.method = payment.method
            kept.shownDetails.kind = payment.shownDetails.kind
            return kept
        }
        (stub.coupons, stub.leases, stub.memberName, stub.mode, stub.timeZone) = ([], nil, nil, nil, nil)
        return stub
    }
}

extension CompletedOrder.Line {
    /// All lines of a rate as one, of no article.
    fileprivate init(_ rate: Int64?, of lines: [Self]) {
        self.init()
        func sum(_ amounts: [Int64?]) -> Int64 {
            amounts.reduce(0) { Merging.add($1 ?? 0, to: $0) ?? .max }
        }
        taxBasisPoints = rate
        quantityMilli = 1_000
        total = sum(lines.map(\.total))
        discount = sum(lines.map(\.given))
    }
}
