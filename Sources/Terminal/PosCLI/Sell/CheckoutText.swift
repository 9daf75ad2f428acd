internal import Base
internal import AgentAPI
internal import Counter
internal import HubProtocol
internal import Pricing
internal import Agent

/// What the checkout puts together of its texts.
extension PosTexts {
    /// What went wrong, in words that work in the checkout.
    func message(of error: TerminalError) -> String {
        let words = ShopWords.text(ShopWords.withoutOptions(error.failure.text(in: language)))
        return switch error.code {
        case "sign_in_required": signInRequired
        case "approval_required": needsApproval(error.details.action ?? "-")
        case "pin_required": pinMissing
        case "price_changed": totalChanged
        case "clock_differs": words + clockDiffers
        case "voucher_used": words + voucherUsed
        case "quantity_required": soldByMeasure(error.details.article)
        case "price_required": withoutPrice(error.details.article)
        case "unknown_barcode": unknownBarcode(error.failure.text(in: language))
        case "agent_gone": agentGone
        default: words
        }
    }

    /// Lines and total of a basket.
    func list(_ basket: Basket) -> String {
        var rows = basket.quotedLines.enumerated().map {
            "  \($0.offset + 1)  " + line($0.element, currency: basket.currency)
        }
        if let member = basket.quote?.member { rows.append("  " + self.member(member)) }
        if !basket.coupons.isEmpty {
            rows.append("  " + coupons(basket.coupons.joined(separator: ", ")))
        }
        rows.append("  " + total(basket))
        return rows.joined(separator: "\n")
    }

    /// One line as priced.
    func line(_ line: SoldLine, currency: String) -> String {
        func amount(_ amount: Int64) -> String { AmountText.text(amount, currency: currency) }
        return "\(line.name)  \(QuantityText.text(milli: line.quantityMilli)) x \(amount(line.unitPrice))"
            + (line.discount > 0 ? "  -\(amount(line.discount))" : "")
            + "  \(amount(line.total))"
    }

    func member(_ member: QuoteResponse.Member) -> String {
        let id = member.memberId
        guard member.isKnown else { return unknownMemberNoted(id) }
        return self.member(id + (member.name.map { " (\($0))" } ?? ""))
    }

    func total(_ basket: Basket) -> String {
        let rounding = basket.quote?.cashRounding.amount ?? 0
        return total(
            AmountText.money(basket.total, basket.currency),
            tax: AmountText.text(basket.quote?.tax.amount ?? 0, currency: basket.currency),
            inCash: rounding == 0 ? nil : AmountText.money(basket.total + rounding, basket.currency))
    }

    /// What is typed behind.
    func prompt(_ basket: Basket) -> String {
        guard !basket.lines.isEmpty else { return "> " }
        var words = "[\(basket.lines.count) · \(AmountText.money(basket.total, basket.currency))"
        if basket.taken > 0 {
            let left = AmountText.text(max(0, basket.total - basket.taken), currency: basket.currency)
            words += stillDue(left)
        }
        return words + "] > "
    }

    /// What was taken so far, and what is due.
    func taken(_ basket: Basket) -> String {
        taken(
            AmountText.text(basket.taken, currency: basket.currency),
            due: AmountText.money(max(0, basket.total - basket.taken), basket.currency))
    }

    /// A card sale whose result nobody saw.
    func unseen(_ sale: UnseenSalesCall.Sale) -> String {
        unseen(sale.orderNumber, total: sale.total.text)
    }

    func left(_ cart: CartSummary) -> String { cartLeft(offer(cart)) }

    /// A basket in a few words.
    func basket(_ basket: Basket) -> String {
        self.basket(
            lines: language.cartTexts.lines(basket.lines.count),
            money: AmountText.money(basket.total, basket.currency))
    }

    func malformedQuantity(_ typed: String) -> TerminalError {
        TerminalError(.usage, code: "malformed_quantity") { $0.quantityForm(typed) }
    }

    var malformedDiscount: TerminalError {
        TerminalError(.usage, code: "malformed_discount") { $0.discountForm }
    }

    var malformedDiscountOfAll: TerminalError {
        TerminalError(.usage, code: "malformed_discount") { $0.discountOfAllForm }
    }

    /// The refusal of a code that may be a PIN, without it.
    func hidden(_ code: String, in error: TerminalError) -> TerminalError {
        TerminalError(
            error.kind, code: error.code, details: error.details,
            text: {
                error.failure.text(in: $0).replacing(code, with: UnknownCode.hidden)
            })
    }

    var malformedPoints: TerminalError { TerminalError(.usage, code: "malformed_points") { $0.pointsForm } }

    func malformedPayment(_ word: String) -> TerminalError {
        TerminalError(.usage, code: "malformed_payment") { $0.paymentForm(CardNumber.masked(word)) }
    }
}
