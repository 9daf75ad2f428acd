package import Base

/// The texts that counter and commands both show, in one language. Money comes written.
package protocol CartTexts: Sendable {
    /// How many lines a cart has.
    func lines(_ count: Int) -> String
    /// How many articles come back; 0: all of a sale.
    func comingBack(_ articles: Int) -> String
    /// For the cashier, some 40 columns; `reference` is the number of a voucher.
    func handBack(_ amount: String, method: String, reference: String?) -> String
    /// A card or wallet that would have been charged with the sale.
    func notCharged(_ amount: String, method: String) -> String
    /// A cart that a window left: `3 lines, 50.00 EUR: go on?`; nil: it has no money.
    func goOn(_ content: String, _ money: String?) -> String
    func taken(_ money: String) -> String

    var givingUp: String { get }
    var notNow: String { get }
    var noPaperWaits: String { get }
    func refunded(_ money: String) -> String
    func giveBack(_ money: String) -> String
    func priceChanged(of name: String, from was: String, to now: String) -> String
    /// What the member had at the last pull.
    func pointsOnce(_ points: Int64) -> String
    func pointsOfMember(_ points: Int64) -> String
    func spendable(_ points: Int64) -> String
    /// A tender as people call it; one of the store's own as it is.
    func method(_ method: String) -> String
    /// A role of a cashier; one of a later version as it is.
    func role(_ role: String) -> String
}

/// The texts of one front end; those that every front end has are ``CartTexts``.
package protocol FrontEndTexts: Sendable {
    var language: Language { get }
}

extension FrontEndTexts {
    private var shared: any CartTexts { language.cartTexts }

    package var givingUp: String { shared.givingUp }
    package var notNow: String { shared.notNow }
    package var noPaperWaits: String { shared.noPaperWaits }
    package func refunded(_ money: String) -> String { shared.refunded(money) }
    package func giveBack(_ money: String) -> String { shared.giveBack(money) }
    package func priceChanged(of name: String, from was: String, to now: String) -> String {
        shared.priceChanged(of: name, from: was, to: now)
    }
    package func pointsOnce(_ points: Int64) -> String { shared.pointsOnce(points) }
    package func pointsOfMember(_ points: Int64) -> String { shared.pointsOfMember(points) }
    package func spendable(_ points: Int64) -> String { shared.spendable(points) }
    package func method(_ method: String) -> String { shared.method(method) }
    package func role(_ role: String) -> String { shared.role(role) }

    /// A cart that a window left, in one line: `3 lines, 50.00 EUR taken: go on?`
    package func offer(_ cart: CartSummary) -> String {
        let lines = cart.content(in: language)
        guard cart.lines > 0 else { return shared.goOn(lines, nil) }
        let taken = cart.money.inHand
        return shared.goOn(
            lines,
            taken > 0 ? shared.taken(MoneyAmount(taken, cart.total.currency).text) : cart.total.text)
    }
}

extension Language {
    package var cartTexts: any CartTexts {
        switch self {
        case .english: EnglishCartTexts()
        case .chinese: ChineseCartTexts()
        }
    }
}
