package import Base
package import HubProtocol

/// The document of `pos status --json`.
package struct StatusResponse: AgentDocument {
    /// `online` or `offline`.
    package let mode: String
    /// RFC 3339; nil where the database is damaged and the switch is off.
    package let since: String?
    /// `manual`, `network`, `service`.
    package let causes: [String]
    /// The manual switch; ``ManualState/isOn`` is false without the cause `manual`.
    package let manual: ManualState
    /// The detector's state, also while another cause keeps the terminal offline.
    package let network: NetworkState
    /// One for each service that the terminal has, by name; empty where no database is open.
    package let services: [ServiceState]
    /// What telemetry sends to the hub, too.
    package let connectivity: ConnectivityState
    /// What each module can do, by the module's name.
    package let capabilities: [String: Capability]
    /// The counts of `pos sync status`, without its entries.
    package let outbox: OutboxCounts
    /// Every language at once, so that the agent's own is not decisive.
    package let banner: BannerTextsByLanguage
    /// The hub's address.
    package let hub: String
    /// The hub's id of this terminal; nil only where a damaged database does not have it.
    package let terminalId: String?
    /// Nil where the database could not be opened.
    package let storeId: String?
    /// Of the agent.
    package let version: String
    /// The state of the database; `damaged` stops sales and sync.
    package let store: StoreState
    /// What only a running terminal has; nil where the database is damaged.
    package let running: RunningState?

    /// A status; `running` is nil for a database that could not be opened, and only then.
    package init(
        mode: String, since: String?, causes: [String], manual: ManualState, network: NetworkState,
        services: [ServiceState], connectivity: ConnectivityState, capabilities: [String: Capability],
        outbox: OutboxCounts, banner: BannerTextsByLanguage, hub: String, terminalId: String?,
        storeId: String?, version: String, store: StoreState, running: RunningState?
    ) {
        self.mode = mode
        self.since = since
        self.causes = causes
        self.manual = manual
        self.network = network
        self.services = services
        self.connectivity = connectivity
        self.capabilities = capabilities
        self.outbox = outbox
        self.banner = banner
        self.hub = hub
        self.terminalId = terminalId
        self.storeId = storeId
        self.version = version
        self.store = store
        self.running = running
    }

    /// How many entries the hub refused that nobody has dealt with; ``RefusalListCall`` lists them.
    package var refusedCount: Int64 { (outbox.rejected ?? 0) + (outbox.conflicted ?? 0) }

    /// The members of ``running`` are required unless the database is damaged and `policy` is missing.
    package init(_ members: AgentMembers) throws(ShapeError) {
        let store: StoreState = try members.read("store")
        self.init(
            mode: try members.read("mode"), since: try members.nullable("since"),
            causes: try members.read("causes"), manual: try members.read("manual"),
            network: try members.read("network"), services: try members.read("services"),
            connectivity: try members.read("connectivity"),
            capabilities: try members.read("capabilities"), outbox: try members.read("outbox"),
            banner: try members.read("banner"), hub: try members.read("hub"),
            terminalId: try members.nullable("terminalId"),
            storeId: try members.nullable("storeId"),
            version: try members.read("version"), store: store,
            running: store.isUnopened(in: members) ? nil : try RunningState(members))
    }

    /// One object: the members of ``running`` stand beside the others.
    package var json: JSONValue {
        var members = running?.members ?? [:]
        members["mode"] = .string(mode)
        members["since"] = JSONValue(since)
        members["causes"] = causes.json
        members["manual"] = manual.json
        members["network"] = network.json
        members["services"] = services.json
        members["connectivity"] = connectivity.json
        members["capabilities"] = .object(JSONObject(capabilities.mapValues(\.json)))
        members["outbox"] = outbox.json
        members["banner"] = banner.json
        members["hub"] = .string(hub)
        members["terminalId"] = JSONValue(terminalId)
        members["storeId"] = JSONValue(storeId)
        members["version"] = .string(version)
        members["store"] = store.json
        return .object(members)
    }
}

/// The part of the status that needs an open database.
package struct RunningState: Hashable, Sendable {
    /// How the last calls to the hub went, at most 20 of 60 s.
    package let quality: LinkQuality
    /// What each activity of sync waits for.
    package let policy: PolicyState
    /// Whether the hub accepts this version, by its last response.
    package let schema: SchemaState
    /// The age of the catalogue, and why the newest pull failed.
    package let catalogue: PullState
    /// The last time that order numbers leapt; nil: never.
    package let leap: OrderLeap?
    /// Whether the store has cashiers and nobody is signed in.
    package let isSignInRequired: Bool
    /// Card sales whose response nobody has seen.
    package let unseenCardSales: Int64
    /// Cards that were taken offline and refused afterwards, and that nobody has settled at the hub.
    package let cardDebts: Int64
    /// How far the hub's clock is ahead, in milliseconds; nil: its time is not known since the computer
    /// started, or it leapt and is not followed.
    package let hubAheadMilliseconds: Int64?
    /// `unknown`, `unconfirmed`, `agrees`, `differs` (set this computer's clock) or `hubLeapt`; a later agent
    /// may have more words.
    package var clockState = "unknown"
    /// Money that goes back to cards by the terminal's own card machine.
    package var cardReturns = CardReturnCounts(waiting: 0, refused: 0)
    /// How each tender of the store is taken now, in the store's order; empty from an agent of before.
    package var tenders: [TenderState] = []
    /// How points are spent now, of the member whom the request names; nil from an agent of before.
    package var points: PointsState?

    /// The till itself; nil of an agent of before.
    package var till: TillState?

    /// The running part; `leap` and `hubAheadMilliseconds` are nil where there is none.
    package init(
        quality: LinkQuality, policy: PolicyState, schema: SchemaState, catalogue: PullState,
        leap: OrderLeap?, isSignInRequired: Bool, unseenCardSales: Int64, cardDebts: Int64,
        hubAheadMilliseconds: Int64?
    ) {
        self.quality = quality
        self.policy = policy
        self.schema = schema
        self.catalogue = catalogue
        self.leap = leap
        self.isSignInRequired = isSignInRequired
        self.unseenCardSales = unseenCardSales
        self.cardDebts = cardDebts
        self.hubAheadMilliseconds = hubAheadMilliseconds
    }

    init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            quality: try members.read("quality"), policy: try members.read("policy"),
            schema: try members.read("schema"), catalogue: try members.read("catalogue"),
            leap: try members.members("orderNumbers").leap(),
            isSignInRequired: try members.read("signInRequired"),
            unseenCardSales: try members.read("unseenCardSales"),
            cardDebts: try members.optional("cardDebts") ?? 0,
            hubAheadMilliseconds: try members.members("clock").hubAhead())
        clockState = try members.members("clock").clockState()
        cardReturns = try members.optional("cardReturns") ?? cardReturns
        tenders = try members.optional("tenders") ?? []
        points = try members.optional("points")
        till = try members.optional("till")
    }

    var members: JSONObject {
        var members: JSONObject = [
            "quality": quality.json, "policy": policy.json, "schema": schema.json,
            "catalogue": catalogue.json, "orderNumbers": ["leap": leap?.json ?? .null],
            "signInRequired": .bool(isSignInRequired), "unseenCardSales": .integer(unseenCardSales),
            "cardDebts": .integer(cardDebts),
            "clock": ["hubAheadMs": JSONValue(hubAheadMilliseconds), "state": .string(clockState)],
            "cardReturns": cardReturns.json, "tenders": tenders.json,
        ]
        members["points"] = points?.json
        members["till"] = till?.json
        return members
    }
}

/// How much of what goes back to cards by the terminal's own card machine has no end yet.
package struct CardReturnCounts: MemberDocument {
    /// Requests that the machine has not responded to.
    package var waiting: Int64 = 0
    /// Refused by the machine, and not paid in cash: owed to customers.
    package var refused: Int64 = 0

    /// Counts of refunds and voids by card.
    package init(waiting: Int64, refused: Int64) {
        (self.waiting, self.refused) = (waiting, refused)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("waiting", &waiting)
        try m("refused", &refused)
    }
}

extension AgentMembers {
    fileprivate func leap() throws(ShapeError) -> OrderLeap? { try nullable("leap") }

    fileprivate func clockState() throws(ShapeError) -> String { try optional("state") ?? "unknown" }

    fileprivate func hubAhead() throws(ShapeError) -> Int64? { try nullable("hubAheadMs") }
}

/// Order numbers leapt, since one from outside or on this disk could not be this terminal's.
package struct OrderLeap: MemberDocument {
    /// RFC 3339.
    package var at = ""
    /// `head_not_believed` or `recovered`.
    package var reason = ""
    /// The number, as a peer sent it.
    package var number = ""

    /// A leap; `number` has at most 80 characters.
    package init(at: String, reason: String, number: String) {
        (self.at, self.reason, self.number) = (at, reason, number)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("at", &at)
        try m("reason", &reason)
        try m("number", &number)
    }
}

/// The terminal's database.
package struct StoreState: MemberDocument {
    /// `ok`, `incomplete` or `damaged`.
    package var state = ""
    /// What is wrong; nil for nothing.
    package var detail: String?
    /// The command that helps; nil for none.
    package var command: String?
    /// The report of the last loss, as the database keeps it; nil: none.
    package var loss: JSONValue?
    /// The report of the last repair, as the database keeps it; nil: none.
    package var repair: JSONValue?
    /// Entries that are not sent, since their hash is not that of their content.
    package var heldBack: Int64 = 0

    /// A state; `detail` and `command` are nil for `ok`, `loss` and `repair` where there was none.
    package init(
        state: String, detail: String?, command: String?, loss: JSONValue?, repair: JSONValue?,
        heldBack: Int64
    ) {
        self.state = state
        self.detail = detail
        self.command = command
        self.loss = loss
        self.repair = repair
        self.heldBack = heldBack
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("state", &state)
        try m.nullable("detail", &detail)
        try m.nullable("command", &command)
        try m.nullable("loss", &loss)
        try m.nullable("repair", &repair)
        try m("heldBack", &heldBack)
    }

    /// Whether `status` is of a database that could not be opened, so that nothing of it is known.
    fileprivate func isUnopened(in status: AgentMembers) -> Bool {
        state == "damaged" && !status.names.contains("policy")
    }
}

package struct BannerTextsByLanguage: MemberDocument {
    /// Stable names for programs, the worst first.
    package var troubles: [String] = []
    /// The line by its language, `en` and `zh`.
    package var texts: [String: String] = [:]
    /// What helps, a stable name.
    package var action = ""
    /// The command that does it; nil for none.
    package var command: String?
    /// The language of the configuration; nil: by the environment of whoever looks.
    package var language: String?

    /// A banner; `texts` needs every language, and `language` is nil without a configured one.
    package init(
        troubles: [String], texts: [String: String], action: String, command: String?, language: String?
    ) {
        self.troubles = troubles
        self.texts = texts
        self.action = action
        self.command = command
        self.language = language
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("troubles", &troubles)
        try m("text", &texts)
        try m("action", &action)
        try m.nullable("command", &command)
        try m.nullable("language", &language)
    }
}

/// What a module can do now.
package struct Capability: MemberDocument {
    /// Why a module cannot do everything, and what ends that.
    package struct Obstacle: MemberDocument {
        /// A stable name: `manual`, `network`, `service`, `slow`, `authBlocked`, `noPaymentService`,
        /// `noTender`, `signInRequired`, `shiftRequired`, `diskFull`, `notRecording`, `clockDiffers`,
        /// `cardLimit`, `tooOld`, `superseded` or `busy`.
        package var reason = ""
        /// Whether nothing of the module works now; false: it works with limits.
        package var stopsAll = false
        /// The command that ends it; nil: it ends by itself, or outside the terminal.
        package var command: String?
        /// The reason and its end in one line, by language: `en` and `zh`.
        package var texts: [String: String] = [:]

        /// An obstacle; `texts` needs every language.
        package init(reason: String, stopsAll: Bool, command: String?, texts: [String: String]) {
            self.reason = reason
            self.stopsAll = stopsAll
            self.command = command
            self.texts = texts
        }

        /// The line in this language; empty from an agent that does not have it.
        package func text(in language: Language) -> String { texts[language.rawValue] ?? "" }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("reason", &reason)
            try m("stopsAll", &stopsAll)
            try m.nullable("command", &command)
            try m("text", &texts)
        }
    }

    /// `online` or `local`.
    package var route = ""
    /// What it cannot do, for people.
    package var limits: [String] = []
    /// Why it has limits; nil while it has none, and from an agent of before.
    package var obstacle: Obstacle?
    /// Of `signIn` and `approval` what an action lacks; empty: nothing, or the module is no action.
    package var needs: [String] = []

    /// A capability; `limits` and `needs` are empty and `obstacle` nil while the module can do everything.
    package init(route: String, limits: [String], obstacle: Obstacle? = nil, needs: [String] = []) {
        (self.route, self.limits, self.obstacle, self.needs) = (route, limits, obstacle, needs)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("route", &route)
        try m("limits", &limits)
        try m.optional("obstacle", &obstacle)
        try m.optional("needs", &needs, absent: [])
    }
}

/// What a module cannot do, as `limits` of the status has it; screens have a text for each in their language.
package enum CapabilityLimit: String, Sendable, CaseIterable {
    case pricesOfPull = "prices as of the last pull"
    case pinsOfPull = "PINs as of the last pull"
    case membersOfPull = "members as of the last pull"
    case offersOfPull = "offers as of the last pull"
    case couponsOfHub = "offers and coupons that need the hub are not given"
    case byMachine = "by the till's own card machine"
    case stored = "taken unapproved within offlineCard, and forwarded later"
}
