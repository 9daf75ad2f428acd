package import Base

/// The texts about a cart that every front end shows, in one language.
package protocol CartTexts: Sendable {
    /// How many lines a cart has.
    func lines(_ count: Int) -> String
    /// How many articles come back; 0: all of a sale.
    func comingBack(_ articles: Int) -> String
    /// For the cashier, some 40 columns; `reference` is the number of a voucher.
    func handBack(_ amount: String, method: String, reference: String?) -> String
    /// A card or wallet that would have been charged with the sale.
    func notCharged(_ amount: String, method: String) -> String
}

extension Language {
    package var cartTexts: any CartTexts {
        switch self {
        case .english: EnglishCartTexts()
        case .chinese: ChineseCartTexts()
        }
    }
}
