package import Base
package import HubProtocol
package import OfflineCore

/// The document of `pos status --json`.
package struct StatusResponse: MemberDocument {
    package var mode = Mode.online
    /// RFC 3339; nil where the database is damaged and the switch is off.
    package var since: String?
    /// Empty exactly while online.
    package var causes: [OfflineCause] = []
    /// The manual switch; ``ManualState/isOn`` is false without the cause `manual`.
    package var manual = ManualState(isOn: false)
    /// The detector's state, also while another cause keeps the terminal offline.
    package var network = NetworkState()
    /// One for each service that the terminal has, by name; empty where no database is open.
    package var services: [ServiceState] = []
    /// What telemetry sends to the hub, too.
    package var connectivity = ConnectivityState()
    /// What each module can do.
    package var capabilities: [TillModule: Capability] = [:]
    /// The counts of `pos sync status`, without its entries.
    package var outbox = OutboxCounts()
    /// Every language at once, so that the agent's own is not decisive.
    package var banner = BannerTextsByLanguage()
    /// The hub's address.
    package var hub = ""
    /// The hub's id of this terminal; nil only where a damaged database does not have it.
    package var terminalId: String?
    /// Nil where the database could not be opened.
    package var storeId: String?
    /// Of the agent.
    package var version = ""
    /// The state of the database; `damaged` stops sales and sync.
    package var store = StoreState()
    /// What only a running terminal has; nil where the database is damaged.
    package var running: RunningState?

    /// A status; `running` is nil for a database that could not be opened, and only then.
    package init(
        mode: Mode, since: String?, causes: [OfflineCause], manual: ManualState, network: NetworkState,
        services: [ServiceState], connectivity: ConnectivityState, capabilities: [TillModule: Capability],
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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("mode", &mode)
        try m.nullable("since", &since)
        try m("causes", &causes)
        try m("manual", &manual)
        try m("network", &network)
        try m("services", &services)
        try m("connectivity", &connectivity)
        try m("capabilities", &capabilities)
        try m("outbox", &outbox)
        try m("banner", &banner)
        try m("hub", &hub)
        try m.nullable("terminalId", &terminalId)
        try m.nullable("storeId", &storeId)
        try m("version", &version)
        try m("store", &store)
        try m.part("policy", &running, isRequired: store.state != "damaged")
    }
}

/// The part of the status that needs an open database.
package struct RunningState: MemberDocument {
    /// How the last calls to the hub went, at most 20 of 60 s.
    package var quality = QualityStatus.unmeasured
    /// What each activity of sync waits for.
    package var policy = PolicyState()
    /// Whether the hub accepts this version, by its last response.
    package var schema = SchemaState()
    /// The age of the catalogue, and why the newest pull failed.
    package var catalogue = PullState()
    /// The last time that order numbers leapt; nil: never.
    package var leap: OrderLeap?
    /// Whether the store has cashiers and nobody is signed in.
    package var isSignInRequired = false
    /// Card sales whose response nobody has seen.
    package var unseenCardSales: Int64 = 0
    /// Cards that were taken offline and refused afterwards, and that nobody has settled at the hub.
    package var cardDebts: Int64 = 0
    /// How far the hub's clock is ahead, in milliseconds; nil: its time is not known since the computer
    /// started, or it leapt and is not followed.
    package var hubAheadMilliseconds: Int64?
    /// `unknown`, `unconfirmed`, `agrees`, `differs` (set this computer's clock) or `hubLeapt`.
    package var clockState = "unknown"
    /// Money that goes back to cards by the terminal's own card machine.
    package var cardReturns = CardReturnCounts()
    /// How each tender of the store is taken now, in the store's order.
    package var tenders: [TenderState] = []
    /// How points are spent now, of the member whom the request names.
    package var points = PointsState()
    /// The till itself.
    package var till = TillState()
    /// The store's other tills; nil where the tills do not see each other.
    package var neighbours: NeighbourCounts?
    /// What the till's own card machine wants of the shopper; nil while no request of the till runs there.
    package var cardStep: DeviceProgress?
    /// The receipt number of the newest booking at the till's own card machine, where somebody else made it;
    /// nil: the till made it, or nothing is known.
    package var foreignBooking: Int64?

    /// The running part; `leap` and `hubAheadMilliseconds` are nil where there is none.
    package init(
        quality: QualityStatus, policy: PolicyState, schema: SchemaState, catalogue: PullState,
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

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("quality", &quality)
        try m("policy", &policy)
        try m("schema", &schema)
        try m("catalogue", &catalogue)
        try m.object("orderNumbers") { m throws(M.Failure) in try m.nullable("leap", &leap) }
        try m("signInRequired", &isSignInRequired)
        try m("unseenCardSales", &unseenCardSales)
        try m("cardDebts", &cardDebts)
        try m.object("clock") { m throws(M.Failure) in
            try m.nullable("hubAheadMs", &hubAheadMilliseconds)
            try m("state", &clockState)
        }
        try m("cardReturns", &cardReturns)
        try m("tenders", &tenders)
        try m("points", &points)
        try m("till", &till)
        try m.optional("neighbours", &neighbours)
        try m.optional("cardStep", &cardStep)
        try m.optional("foreignBooking", &foreignBooking)
    }
}

/// How much of what goes back to cards by the terminal's own card machine has no end yet.
package struct CardReturnCounts: MemberDocument {
    /// Requests that the machine has not responded to, and ``waitingForCard``.
    package var waiting: Int64 = 0
    /// Of ``waiting``, those that a person begins with the customer's card.
    package var waitingForCard: Int64 = 0
    /// Taken on by the machine, which says no more: a person confirms it.
    package var requested: Int64 = 0
    /// Refused by the machine, and not paid in cash: owed to customers.
    package var refused: Int64 = 0

    /// Counts of refunds and voids by card.
    package init(waiting: Int64, waitingForCard: Int64 = 0, requested: Int64 = 0, refused: Int64) {
        (self.waiting, self.waitingForCard) = (waiting, waitingForCard)
        (self.requested, self.refused) = (requested, refused)
    }

    /// Those that the machine gives back by itself once it can be reached.
    package var waitingForMachine: Int64 { waiting - waitingForCard }
    /// Whether everything is back.
    package var isEmpty: Bool { waiting + requested + refused == 0 }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("waiting", &waiting)
        try m("waitingForCard", &waitingForCard, missing: 0)
        try m("requested", &requested, missing: 0)
        try m("refused", &refused)
    }
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
    /// What it means for whoever sells.
    package var advice = BannerAdvice()

    /// A banner; `texts` needs every language, and `language` is nil without a configured one.
    package init(
        troubles: [String], texts: [String: String], action: String, command: String?, language: String?,
        advice: BannerAdvice
    ) {
        self.advice = advice
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
        try m("advice", &advice, missing: BannerAdvice())
    }
}

/// What a till does for people, and what it gets for it.
package enum TillModule: String, DocumentKey, CaseIterable {
    case checkout
    case cash = "payment.cash"
    case card = "payment.card"
    case coupons, priceOverride, exchange, refund, void, park, notes, manualOffline, sync, catalogue, account
    case member, marketing
}

/// What a module can do now.
package struct Capability: MemberDocument {
    /// Why a module cannot do everything, and what ends that.
    package struct Obstacle: MemberDocument {
        /// A stable name: `manual`, `network`, `service`, `slow`, `authBlocked`, `noPaymentService`,
        /// `noTender`, `signInRequired`, `shiftRequired`, `diskFull`, `notRecording`, `clockDiffers`,
        /// `cardLimit`, `machineUndecided`, `machineAway`, `machineRefused`, `machineBusy`, `tooOld`,
        /// `superseded` or `busy`.
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
    /// Why it has limits; nil while it has none.
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
