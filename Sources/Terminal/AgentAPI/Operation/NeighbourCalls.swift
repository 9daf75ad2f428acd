package import HubProtocol

/// `GET /v1/neighbours`: the other tills of the store, as far as this one has heard of them.
package struct NeighboursCall: AgentCall {
    /// A call without arguments.
    package init() {}

    /// `GET /v1/neighbours`; nothing is sent to another till.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.neighbours) }

    /// Whether a till is there.
    package enum State: String, DocumentValue {
        /// It was heard within three intervals of its hellos.
        case reachable
        /// It was heard before, and not since.
        case silent
        /// Nothing was heard of it since the agent's start.
        case unknown
    }

    /// A cart that is parked at another till. It is sold there.
    package struct Cart: MemberDocument {
        package var id = ""
        /// As its cashier named it; empty: it has no name.
        package var name = ""
        /// The number of its lines.
        package var count: Int64 = 0
        /// Minor units of the store's currency.
        package var total: Int64 = 0

        /// Makes a cart without a check.
        package init(id: String, name: String, count: Int64, total: Int64) {
            (self.id, self.name, self.count, self.total) = (id, name, count, total)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("id", &id)
            try m("name", &name)
            try m("count", &count)
            try m("total", &total)
        }
    }

    /// Another till of the store.
    package struct Till: MemberDocument {
        /// The hub's id of it.
        package var terminalId = ""
        /// Its number within the store; nil: not known.
        package var number: Int64?
        /// What people call it; nil: it has no name.
        package var name: String?
        /// Where it was reached, `ADDRESS:PORT`; nil: nowhere.
        package var address: String?
        package var state = State.unknown
        /// RFC 3339, when its last hello came; nil: none did.
        package var heardAt: String?
        /// `online` or `offline`, as it said last; nil: nothing was heard.
        package var mode: String?
        /// Entries that waited for the hub at its last hello; nil: nothing was heard.
        package var pending: Int64?
        /// Entries of this till that it keeps.
        package var keepsForUs: Int64 = 0
        /// Its entries that this till keeps.
        package var weKeep: Int64 = 0
        /// The carts that it has parked, as its notes say.
        package var carts: [Cart] = []
        /// By how many milliseconds its clock was ahead at its last hello; nil: nothing was heard.
        package var clockOffMilliseconds: Int64?
        /// Of its program; nil: nothing was heard.
        package var version: String?

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("terminalId", &terminalId)
            try m.nullable("number", &number)
            try m.nullable("name", &name)
            try m.nullable("address", &address)
            try m("state", &state)
            try m.nullable("heardAt", &heardAt)
            try m.nullable("mode", &mode)
            try m.nullable("pending", &pending)
            try m("keepsForUs", &keepsForUs, missing: 0)
            try m("weKeep", &weKeep, missing: 0)
            try m("carts", &carts, missing: [])
            try m.nullable("clockOffMs", &clockOffMilliseconds)
            try m.nullable("version", &version)
        }
    }

    /// The document of `pos neighbours --json`.
    package struct Response: MemberDocument {
        /// Whether the store wants it, and the till's own file is not against it.
        package var isEnabled = false
        /// Where the till listens, `ADDRESS:PORT` each.
        package var listening: [String] = []
        /// Where it wanted to listen and cannot, with the reason; tried again every 60 s.
        package var notListening: [String] = []
        /// Connections that ended with the handshake since the agent's start.
        package var refused: Int64 = 0
        /// A neighbour showed a signed end of this till's journal that its disk does not have.
        package var isBehind = false
        /// RFC 3339: the hub has not confirmed the keys of the others since; nil: it has, within
        /// `neighbours.trustDays`.
        package var notConfirmedSince: String?
        /// Tills whose sales this one keeps, and that have waited for the hub for more than a week.
        package var overdue: [String] = []
        /// By their ids.
        package var neighbours: [Till] = []

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("enabled", &isEnabled)
            try m("listening", &listening)
            try m("notListening", &notListening, missing: [])
            try m("refused", &refused, missing: 0)
            try m("behind", &isBehind, missing: false)
            try m.optional("notConfirmedSince", &notConfirmedSince)
            try m("overdue", &overdue, missing: [])
            try m("neighbours", &neighbours)
        }
    }
}

/// `POST /v1/neighbours/try`: connects to one address and says how far it came.
package struct TryNeighbourCall: AgentCall {
    /// `ADDRESS` or `ADDRESS:PORT`, numeric.
    package let address: String
    /// Whether an address outside of a shop's own network is tried, too.
    package let isAny: Bool

    /// A call that takes some seconds at most.
    package init(address: String, isAny: Bool = false) {
        (self.address, self.isAny) = (address, isAny)
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `malformed` without `address`, `unknownField` for a member other than `address` and `any`.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(["address", "any"])
        guard let address = try members.text("address") else { throw members.malformed("address", "a text") }
        self.init(address: address, isAny: body?["any"]?.bool ?? false)
    }

    /// `POST /v1/neighbours/try`.
    package var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.neighbours + "/try",
            body: ["address": .string(address), "any": .bool(isAny)])
    }

    /// One step of the way to the other till.
    package enum Step: String, DocumentValue, CaseIterable {
        /// A TCP connection.
        case connect
        /// TLS 1.3 with a certificate of the form that tills have.
        case handshake
        /// The certificate's key is a till's of the store, and the other till takes this one's.
        case key
        /// A hello came back that this version reads.
        case version
    }

    /// The document of `pos neighbours try ADDRESS --json`.
    package struct Response: MemberDocument {
        /// `ADDRESS:PORT`.
        package var address = ""
        /// The steps that went well, in order.
        package var steps: [Step] = []
        /// Whose address it is; nil where that was not shown.
        package var terminalId: String?
        /// Its number within the store; nil: not known.
        package var number: Int64?
        /// Of its program; nil where no hello came back.
        package var version: String?
        /// Where it ended; nil: all went well.
        package var failedAt: Step?
        /// Why, a stable word: `not_connected`, `timed_out`, `no_till`, `other_store`, `not_taken` or
        /// `unreadable`; nil: all went well.
        package var reason: String?

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("address", &address)
            try m("steps", &steps)
            try m.nullable("terminalId", &terminalId)
            try m.nullable("number", &number)
            try m.nullable("version", &version)
            try m.nullable("failedAt", &failedAt)
            try m.nullable("reason", &reason)
        }
    }
}

/// The member `neighbours` of the status, where they are on.
package struct NeighbourCounts: MemberDocument {
    package var reachable: Int64 = 0
    /// Heard before, and not since.
    package var silent: Int64 = 0
    /// Nothing was heard of since the agent's start.
    package var unknown: Int64 = 0

    /// Counts of the store's other tills.
    package init(reachable: Int64, silent: Int64, unknown: Int64) {
        (self.reachable, self.silent, self.unknown) = (reachable, silent, unknown)
    }

    /// Every other till of the store.
    package var all: Int64 { reachable + silent + unknown }
    /// Whether all of them are there.
    package var isComplete: Bool { reachable == all }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("reachable", &reachable)
        try m("silent", &silent)
        // Written only where there are some: programs that read the status expect two members.
        var some = unknown > 0 ? unknown : nil
        try m.optional("unknown", &some)
        unknown = some ?? 0
    }
}
