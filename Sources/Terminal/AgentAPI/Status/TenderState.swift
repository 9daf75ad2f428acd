package import Base
package import HubProtocol

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
package struct TenderState: AgentDocument, AbilityState {
    /// Its name at the till.
    package let method: String
    /// `cash`, `card`, `wallet` or `voucher`.
    package let kind: String
    /// `hub`, `machine`, `stored`, `local` or `refused`.
    package let route: String
    /// What one sale takes of it, in minor units; nil: no limit.
    package let limitMinor: Int64?
    /// Whether a manager's approval allows more than ``limitMinor``.
    package var canExceed = false
    /// Of `signIn`, `approval` and `reference` what is missing.
    package let needs: [String]
    /// The code that a sale with it is refused with; nil unless ``route`` is `refused`.
    package let reason: String?
    /// What ends ``reason`` or the first of ``needs``.
    package let ends: AbilityEnd
    /// Why it is refused, or not taken by its usual way, by language: `en` and `zh`; nil: nothing is amiss.
    package let texts: [String: String]?

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

    /// `text` and `canExceed` may be missing.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            method: try members.string("method"), kind: try members.string("kind"),
            route: try members.string("route"),
            limitMinor: try members.nullable("limitMinor", members.integer),
            needs: try members.strings("needs"), reason: try members.nullable("reason", members.string),
            ends: try members.document("ends"), texts: try members.languages())
        canExceed = try members.optional("canExceed", members.bool) ?? false
    }

    /// `text` is left out where nothing is amiss, `canExceed` where it is false; `limitMinor` and `reason`
    /// are null where they are nil.
    package var json: JSONValue {
        var object: JSONObject = [
            "method": .string(method), "kind": .string(kind), "route": .string(route),
            "limitMinor": JSONValue(limitMinor), "needs": JSONValue(strings: needs),
            "reason": JSONValue(reason), "ends": ends.json,
        ]
        object["text"] = texts.map { .object(JSONObject($0.mapValues(JSONValue.string))) }
        if canExceed { object["canExceed"] = true }
        return .object(object)
    }
}

extension TenderState {
    /// Whether its money is requested with the sale and not before.
    package var isChargedWithSale: Bool { TenderKind(rawValue: kind)?.isChargedWithSale ?? false }
}

/// How points are spent now: `points` in the status.
package struct PointsState: AgentDocument, AbilityState {
    /// `hub`, `local` or `refused`.
    package let route: String
    /// The most points that one sale spends; nil: the hub decides.
    package let limit: Int64?
    /// What the member has, as far as it is known; nil: unknown, or no member is named.
    package let balance: Int64?
    /// What one point takes off, in minor units; 0: the store gives nothing for points.
    package let valueMinor: Int64
    /// The fewest points that a sale spends.
    package let minimum: Int64
    /// Of `signIn` what is missing.
    package let needs: [String]
    /// The code that a sale which spends any is refused with; nil unless ``route`` is `refused`.
    package let reason: String?
    /// What ends ``reason`` or the first of ``needs``.
    package let ends: AbilityEnd
    /// Why none are spent, by language: `en` and `zh`; nil: nothing is amiss.
    package let texts: [String: String]?

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

    /// `text` may be missing.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            route: try members.string("route"), limit: try members.nullable("limit", members.integer),
            balance: try members.nullable("balance", members.integer),
            valueMinor: try members.integer("valueMinor"), minimum: try members.integer("minimum"),
            needs: try members.strings("needs"), reason: try members.nullable("reason", members.string),
            ends: try members.document("ends"), texts: try members.languages())
    }

    /// `text` is left out where nothing is amiss; `limit`, `balance` and `reason` are null where they are
    /// nil.
    package var json: JSONValue {
        var object: JSONObject = [
            "route": .string(route), "limit": JSONValue(limit), "balance": JSONValue(balance),
            "valueMinor": .integer(valueMinor), "minimum": .integer(minimum),
            "needs": JSONValue(strings: needs), "reason": JSONValue(reason), "ends": ends.json,
        ]
        object["text"] = texts.map { .object(JSONObject($0.mapValues(JSONValue.string))) }
        return .object(object)
    }
}

/// What ends that something is refused or lacks something.
package struct AbilityEnd: AgentDocument {
    /// RFC 3339; nil: no moment is known.
    package let at: String?
    /// What a person can run; nil: it ends by itself, or outside the terminal.
    package let command: String?

    /// An end; by default nothing is known of it.
    package init(at: String? = nil, command: String? = nil) { (self.at, self.command) = (at, command) }

    /// Both may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            at: try members.nullable("at", members.string),
            command: try members.nullable("command", members.string))
    }

    /// `{"at","command"}`.
    package var json: JSONValue { ["at": JSONValue(at), "command": JSONValue(command)] }
}

extension Language {
    /// A text in every language, as documents carry it.
    package static func texts(_ text: (Language) -> String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, text($0)) })
    }
}

extension AgentMembers {
    /// The member `text`: a line for each language; nil where it is missing.
    fileprivate func languages() throws(ShapeError) -> [String: String]? {
        guard names.contains("text") else { return nil }
        let texts = try members("text")
        var byLanguage: [String: String] = [:]
        for name in texts.names { byLanguage[name] = try texts.string(name) }
        return byLanguage
    }
}
