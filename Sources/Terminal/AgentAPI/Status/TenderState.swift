package import Base
internal import HubProtocol

/// How something is done at the till now: a tender, or the spending of points.
package protocol AbilityState: Sendable {
    /// How it goes; `refused`: a sale with it is refused now.
    var route: String { get }
    /// Why it is refused, or does not go its usual way, by language: `en` and `zh`; nil: nothing is amiss.
    var texts: [String: String]? { get }
}

extension AbilityState {
    /// Whether a sale with it is refused now.
    package var isRefused: Bool { route == "refused" }

    /// The line in this language; empty where nothing is amiss.
    package func text(in language: Language) -> String { texts?[language.rawValue] ?? "" }
}

/// How one tender of the store is taken now: an element of `tenders` in the status.
package struct TenderState: MemberDocument, AbilityState {
    /// Its name at the till.
    package var method = ""
    /// `cash`, `card`, `wallet` or `voucher`.
    package var kind = ""
    /// `hub`, `machine`, `stored`, `local` or `refused`.
    package var route = ""
    /// What one sale takes of it, in minor units; nil: no limit.
    package var limitMinor: Int64?
    /// Whether a manager's approval allows more than ``limitMinor``.
    package var canExceed = false
    /// Of `signIn`, `approval` and `reference` what is missing.
    package var needs: [String] = []
    /// The code that a sale with it is refused with; nil unless ``route`` is `refused`.
    package var reason: String?
    /// What ends ``reason`` or the first of ``needs``.
    package var ends = AbilityEnd()
    /// Why it is refused, or not taken by its usual way, by language: `en` and `zh`; nil: nothing is amiss.
    package var texts: [String: String]?

    /// A state; `reason` and `texts` are nil where nothing is amiss.
    package init(
        method: String, kind: String, route: String, limitMinor: Int64?, needs: [String], reason: String?,
        ends: AbilityEnd, texts: [String: String]?
    ) {
        self.method = method
        self.kind = kind
        self.route = route
        self.limitMinor = limitMinor
        self.needs = needs
        self.reason = reason
        self.ends = ends
        self.texts = texts
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("method", &method)
        try m("kind", &kind)
        try m("route", &route)
        try m.nullable("limitMinor", &limitMinor)
        try m.optional("canExceed", &canExceed, absent: false)
        try m("needs", &needs)
        try m.nullable("reason", &reason)
        try m("ends", &ends)
        try m.optional("text", &texts)
    }
}

extension TenderState {
    /// Whether its money is requested with the sale and not before.
    package var isChargedWithSale: Bool { TenderKind(rawValue: kind)?.isChargedWithSale ?? false }
}

/// How points are spent now: `points` in the status.
package struct PointsState: MemberDocument, AbilityState {
    /// `hub`, `local` or `refused`.
    package var route = ""
    /// The most points that one sale spends; nil: the hub decides.
    package var limit: Int64?
    /// What the member has, as far as it is known; nil: unknown, or no member is named.
    package var balance: Int64?
    /// What one point takes off, in minor units; 0: the store gives nothing for points.
    package var valueMinor: Int64 = 0
    /// The fewest points that a sale spends.
    package var minimum: Int64 = 0
    /// Of `signIn` what is missing.
    package var needs: [String] = []
    /// The code that a sale which spends any is refused with; nil unless ``route`` is `refused`.
    package var reason: String?
    /// What ends ``reason`` or the first of ``needs``.
    package var ends = AbilityEnd()
    /// Why none are spent, by language: `en` and `zh`; nil: nothing is amiss.
    package var texts: [String: String]?

    /// Whether ``balance`` may be that of the last pull, so that what the member earned and spent since then
    /// is not in it: the hub is away.
    package var isBalanceOld: Bool { route == "local" }

    /// A state; `reason` and `texts` are nil where nothing is amiss.
    package init(
        route: String, limit: Int64?, balance: Int64?, valueMinor: Int64, minimum: Int64, needs: [String],
        reason: String?, ends: AbilityEnd, texts: [String: String]?
    ) {
        self.route = route
        self.limit = limit
        self.balance = balance
        self.valueMinor = valueMinor
        self.minimum = minimum
        self.needs = needs
        self.reason = reason
        self.ends = ends
        self.texts = texts
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("route", &route)
        try m.nullable("limit", &limit)
        try m.nullable("balance", &balance)
        try m("valueMinor", &valueMinor)
        try m("minimum", &minimum)
        try m("needs", &needs)
        try m.nullable("reason", &reason)
        try m("ends", &ends)
        try m.optional("text", &texts)
    }
}

/// What ends that something is refused or lacks something.
package struct AbilityEnd: MemberDocument {
    /// RFC 3339; nil: no moment is known.
    package var at: String?
    /// What a person can run; nil: it ends by itself, or outside the terminal.
    package var command: String?

    /// An end; by default nothing is known of it.
    package init(at: String? = nil, command: String? = nil) { (self.at, self.command) = (at, command) }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m.nullable("at", &at)
        try m.nullable("command", &command)
    }
}

extension Language {
    /// A text in every language, as documents carry it.
    package static func texts(_ text: (Language) -> String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, text($0)) })
    }

    /// The same of what may have no text; nil: it has none.
    package static func texts(_ text: (Language) -> String?) -> [String: String]? {
        let texts = allCases.compactMap { language in text(language).map { (language.rawValue, $0) } }
        return texts.isEmpty ? nil : Dictionary(uniqueKeysWithValues: texts)
    }
}
