import HubProtocol

/// What a response says of the money that was requested.
package enum NexoOutcome: Hashable, Sendable {
    case done(NexoPayment)
    /// The machine took it on, and says no more: what gives money back is done later, elsewhere.
    case accepted(NexoPayment)
    case declined(reason: String)
    /// The machine is at work for somebody else, and has not begun.
    case busy
    /// The machine cannot now, and has not begun.
    case unavailable(reason: String)
    /// The response proves nothing.
    case unknown(detail: String)
}

/// What the machine says of money that it moved.
package struct NexoPayment: Hashable, Sendable {
    package let transaction: NexoTransaction
    /// Empty where it gave none.
    package private(set) var approvalCode = ""
    /// As the machine names it.
    package private(set) var brand: String?
    /// The card's last four digits.
    package private(set) var last4: String?
    /// Whether the machine took it without the bank.
    package private(set) var isOffline = false
    package private(set) var customerPaper: [String] = []
    package private(set) var merchantPaper: [String] = []
}

extension NexoReply {
    /// Of the response to a payment, a refund or a reversal of `order`.
    ///
    /// - Parameter isReversal: then a success is no more than that it was received.
    package func outcome(of order: NexoOrder, isReversal: Bool) -> NexoOutcome {
        switch result {
        case .partial: return .unknown(detail: Self.otherAmount)
        case .success: return isReversal ? reversed(order) : paid(order)
        case .failure(.busy, _): return .busy
        case .failure(let condition, let reason) where condition.isPassing:
            return .unavailable(reason: reason)
        case .failure(.inProgress, _), .failure(.other, _), .failure(.notFound, _):
            return .unknown(detail: "the machine's response proves nothing")
        case .failure(_, let reason): return .declined(reason: reason)
        }
    }

    /// A person looks at what the machine did with another amount, in part or in full.
    private static let otherAmount = "the machine did it with another amount"

    /// Where the machine repeats the amount, it has to be ours.
    private func reversed(_ order: NexoOrder) -> NexoOutcome {
        if let amount = content["ReversedAmount"],
            NexoAmount.amount(amount, currency: order.currency) != order.amount
        {
            return .unknown(detail: Self.otherAmount)
        }
        let transaction = NexoTransaction(content["POIData"]?["POITransactionID"])
        var payment = NexoPayment(transaction: transaction ?? NexoTransaction(id: "", moment: ""))
        payment.takePapers(of: content)
        return .accepted(payment)
    }

    /// Everything that names the payment has to be ours.
    private func paid(_ order: NexoOrder) -> NexoOutcome {
        let amounts = content["PaymentResult"]?["AmountsResp"]
        guard content["SaleData"]?["SaleTransactionID"]?["TransactionID"]?.string == order.key else {
            return .unknown(detail: "the machine's response is one to another payment")
        }
        guard amounts?["Currency"]?.string == order.currency,
            NexoAmount.amount(amounts?["AuthorizedAmount"], currency: order.currency) == order.amount
        else { return .unknown(detail: Self.otherAmount) }
        guard let transaction = NexoTransaction(content["POIData"]?["POITransactionID"]) else {
            return .unknown(detail: "the machine named no transaction")
        }
        var payment = NexoPayment(transaction: transaction)
        payment.take(content)
        return .done(payment)
    }
}

extension NexoTransaction {
    /// Characters of an id or a moment; those in use have some forty.
    private static let longest = 100

    /// Ids have long numbers inside, of which one in ten has the check digit of a card: one with a letter is
    /// an id.
    fileprivate init?(_ json: JSONValue?) {
        guard let id = json?["TransactionID"]?.string, let moment = json?["TimeStamp"]?.string,
            [id, moment].allSatisfy({ (1...Self.longest).contains($0.utf8.count) && $0.printable == $0 }),
            !moment.contains("@"), id.contains(where: \.isLetter) || !CardNumber.isLike(id)
        else { return nil }
        self.init(id: id, moment: moment)
    }
}

extension NexoPayment {
    fileprivate mutating func take(_ content: JSONValue) {
        let result = content["PaymentResult"]
        approvalCode = NexoText.line(result?["PaymentAcquirerData"]?["ApprovalCode"]?.string ?? "")
        let card = result?["PaymentInstrumentData"]?["CardData"]
        brand = card?["PaymentBrand"]?.string.map(NexoText.line)
        last4 = card?["MaskedPan"]?.string.flatMap(Self.end)
        let fields = NexoFields(content["Response"]?["AdditionalResponse"]?.string ?? "")
        isOffline = result?["OnlineFlag"]?.bool == false || fields["offline"] == "true"
        takePapers(of: content)
    }

    fileprivate mutating func takePapers(of content: JSONValue) {
        for receipt in content["PaymentReceipt"]?.array ?? [] {
            let lines = Self.lines(receipt)
            switch receipt["DocumentQualifier"]?.string {
            case "CustomerReceipt": customerPaper += lines
            case "CashierReceipt": merchantPaper += lines
            case _: break
            }
        }
    }

    private static func end(of number: String) -> String? {
        let digits = number.suffix(4)
        return digits.count == 4 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            ? String(digits) : nil
    }

    /// Lines of one paper; real ones have some forty.
    private static let mostLines = 200

    /// A line is `key=…&name=…&value=…`, or plain text.
    private static func lines(_ receipt: JSONValue) -> [String] {
        let texts = receipt["OutputContent"]?["OutputText"]?.array ?? []
        return texts.prefix(mostLines).map { text in
            let text = text["Text"]?.string ?? ""
            let fields = NexoFields(text)
            let parts = [fields["name"], fields["value"]].compactMap(\.self)
            return NexoText.line(parts.isEmpty && fields["key"] == nil ? text : parts.joined(separator: " "))
        }
    }
}

extension NexoReply {
    /// What the machine's own end of day counted: what was charged less what went back, in the currency's
    /// smallest unit; nil where it says nothing of it.
    package func total(currency: String) -> Int64? {
        guard let totals = content["TransactionTotals"]?.array else { return nil }
        var sum: Int64 = 0
        for total in totals {
            for part in total["PaymentTotals"]?.array ?? [] {
                guard let kind = part["TransactionType"]?.string, let sign = Self.signs[kind],
                    let amount = NexoAmount.amount(part["TransactionAmount"], currency: currency)
                else { return nil }
                let (next, isTooLarge) = sum.addingReportingOverflow(sign * amount)
                guard !isTooLarge else { return nil }
                sum = next
            }
        }
        return sum
    }

    /// What was declined or failed is listed with its amount, and moved no money.
    private static let signs: [String: Int64] = [
        "Debit": 1, "Credit": -1, "ReverseDebit": -1, "ReverseCredit": 1, "Declined": 0, "Failed": 0,
    ]

    /// The machine's period in which it counts, or which it closed; nil where it names none. Machines write
    /// it as a number or as a text.
    package var period: String? {
        let period = content["POIReconciliationID"] ?? content["POIData"]?["POIReconciliationID"]
        return (period?.string ?? period?.integer.map { String($0) }).flatMap {
            (1...Self.longestPeriod).contains($0.utf8.count) && $0.printable == $0 ? $0 : nil
        }
    }

    /// Bytes; those in use have some ten.
    private static let longestPeriod = 40
}
