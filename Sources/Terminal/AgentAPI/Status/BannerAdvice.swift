/// What the banner means for whoever sells: how bad it is, whether to sell, by which tenders, whom to call.
///
/// The agent decides it with the banner's texts; screens and the pages for the shop only show it.
package struct BannerAdvice: MemberDocument {
    /// How bad it is: the colour of the line.
    package enum Level: String, DocumentValue, Worsening {
        /// Nobody in the shop has to do anything.
        case calm
        /// The till sells, and something is not as always.
        case alert
        /// Nothing can be sold here.
        case stopped
    }

    /// Whether to sell.
    package enum Sell: String, DocumentValue, Worsening {
        case yes
        /// Once a person has looked at the till's date and time.
        case afterCheck
        case no
    }

    /// Which tenders are good.
    package enum Tenders: String, DocumentValue, Worsening {
        case all
        /// And cards only as the payment dialog lists them.
        case cash
        case none
    }

    /// Who has to know.
    package enum Person: String, DocumentValue, Worsening {
        case nobody, manager, installer, it
    }

    package var level = Level.alert
    package var sell = Sell.yes
    package var tenders = Tenders.all
    package var call = Person.nobody

    package init(
        _ level: Level, sell: Sell = .yes, tenders: Tenders = .all, call: Person = .nobody
    ) {
        (self.level, self.sell, self.tenders, self.call) = (level, sell, tenders, call)
    }

    package init() {}

    /// The till's service does not respond, which only a screen can notice.
    package static let serviceStopped = Self(.stopped, sell: .no, tenders: .none, call: .it)

    /// The worse of both, in each respect.
    package func worse(_ other: Self) -> Self {
        Self(
            max(level, other.level), sell: max(sell, other.sell), tenders: max(tenders, other.tenders),
            call: max(call, other.call))
    }

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("level", &level)
        try m("sell", &sell)
        try m("tenders", &tenders)
        try m("call", &call)
    }
}

/// Cases in the order in which they get worse.
package protocol Worsening: Comparable, CaseIterable {}

extension Worsening where AllCases: RandomAccessCollection, AllCases.Index == Int {
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
