import Base

package import HubProtocol

/// One row of the read model of sales: what an accepted sale, void or refund adds to the figures.
///
/// It is a pure function of the mutation (and, of a void, of the sale that it reverses). So the intake writes
/// it in its own transaction, `pos-hub rebuild` computes the same again, and every figure leads back to the
/// mutations that made it.
package struct SaleEntry: Hashable, Sendable {
    /// What the mutation did.
    package enum Kind: String, Hashable, Sendable {
        case sale
        case void
        case refund
    }

    /// What the mutation did.
    package let kind: Kind
    /// The sale's id; empty where a refund names none.
    package let orderId: String
    /// The business day of the mutation itself, YYYY-MM-DD; nil where it names none of the calendar, and then
    /// the day counts on which the hub received it. A void and a refund count on their own day.
    package let businessDay: String?
    /// Who sold or refunded; of a void who made the sale, since it takes back that person's figures, whoever
    /// voided it. Nil without cashiers.
    package let cashierId: String?
    /// ISO 4217; nil for a refund without one, which then counts in the currency of its sale.
    package let currency: String?
    /// What it adds to every figure.
    package let amounts: SaleAmounts

    /// The types of mutations that have an entry.
    package static let types = [CompletedOrder.type, VoidedOrder.type, CompletedRefund.type]

    private init(
        _ kind: Kind, of orderId: String, on businessDay: String?, by cashierId: String?, currency: String?,
        _ amounts: SaleAmounts
    ) {
        self.kind = kind
        self.orderId = orderId
        self.businessDay = businessDay.flatMap(Self.day)
        self.cashierId = cashierId.flatMap { $0.isEmpty ? nil : TextBound.key($0) }
        self.currency = currency
        self.amounts = amounts
    }

    /// A finished sale, as its document has it.
    init(of order: CompletedOrder, _ document: SaleDocument) {
        self.init(
            .sale, of: order.orderId, on: order.businessDay, by: order.cashierId, currency: order.currency,
            SaleFigures(of: document, .sale).amounts)
    }

    init(voiding sale: SaleEntry, on businessDay: String?, by cashierId: String?) {
        self.init(
            .void, of: sale.orderId, on: businessDay, by: sale.cashierId ?? cashierId,
            currency: sale.currency, -sale.amounts)
    }

    /// What was given back, as its document has it.
    init(of refund: CompletedRefund, _ document: SaleDocument) {
        self.init(
            .refund, of: refund.orderId.map(TextBound.key) ?? "", on: refund.businessDay,
            by: refund.cashierId, currency: NamedCurrency.of(refund.currency),
            SaleFigures(of: document, .refund).amounts)
    }

    /// Of a sale or a refund; nil for others, and for a refund that is none.
    init?(_ fact: ReceivedFact, _ document: SaleDocument?) {
        guard let document else { return nil }
        switch fact {
        case .order(let order): self.init(of: order, document)
        case .refund(let refund):
            guard (try? RefundFacts(of: refund)) != nil else { return nil }
            self.init(of: refund, document)
        case .void, .other: return nil
        }
    }

    /// The day that the entry counts on.
    ///
    /// - Parameter receivedAt: the hub's clock when the mutation came, in milliseconds since 1970.
    package func day(receivedAt: Int64) -> String { businessDay ?? Self.day(receivedAt: receivedAt) }

    /// The day on which the hub got something, in UTC.
    package static func day(receivedAt: Int64) -> String {
        String(Timestamp.text(milliseconds: receivedAt).prefix(10))
    }

    /// The first moment of a day in UTC, in milliseconds since 1970; nil for no day of the calendar.
    package static func milliseconds(of day: String) -> Int64? {
        guard Self.day(day) != nil else { return nil }
        return Timestamp.milliseconds(of: day + "T00:00:00.000Z")
    }

    /// The text, when it is a day of the calendar.
    package static func day(_ text: String) -> String? {
        let digits = text.utf8.filter { (0x30...0x39).contains($0) }
        let dashes = text.utf8.enumerated().filter { $0.element == UInt8(ascii: "-") }.map(\.offset)
        guard text.utf8.count == 10, digits.count == 8, dashes == [4, 7],
            let number = Int64(String(decoding: digits, as: UTF8.self)),
            CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100).daysSince1970
                != nil
        else { return nil }
        return text
    }
}

extension SaleEntry {
    /// The entry of a sale or refund out of its payload; nil for other types, and for what is none.
    static func ofContent(type: String, _ payload: JSONValue) -> SaleEntry? {
        let fact: ReceivedFact?
        switch type {
        case CompletedOrder.type: fact = (try? CompletedOrder(received: payload)).map { .order($0) }
        case CompletedRefund.type: fact = (try? CompletedRefund(json: payload)).map { .refund($0) }
        case _: fact = nil
        }
        return fact.flatMap { fact in SaleEntry(fact, fact.document) }
    }

    /// The entry of an accepted mutation; nil where it has none, as a void of a sale that the hub did not
    /// have.
    ///
    /// - Parameters:
    ///   - content: what ``ofContent(type:_:)`` gave, where it is known; nil: it is computed where needed.
    ///   - sale: looks a sale up by its id, after the mutation was accepted.
    package static func entry<Failure: Error>(
        id: String, type: String, entityId: String, _ payload: JSONValue, content: SaleEntry? = nil,
        sale: (String) throws(Failure) -> RefundableOrder
    ) throws(Failure) -> SaleEntry? {
        guard type == VoidedOrder.type else { return content ?? ofContent(type: type, payload) }
        let void = EntryMembers(shown: payload)
        let order = try sale(void.namedOrder ?? entityId)
        guard order.state?.voidedBy == id, let sold = order.saleEntry else { return nil }
        return SaleEntry(voiding: sold, on: void.businessDay, by: void.cashierId)
    }
}
