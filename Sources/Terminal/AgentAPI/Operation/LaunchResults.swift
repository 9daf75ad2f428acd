package import HubProtocol

/// The document of `pos init --json`.
package struct EnrolmentResult: MemberDocument {
    /// Decided by the hub; a new enrolment may get another one.
    package var terminalId = ""
    /// The store of the enrolment code.
    package var storeId = ""
    /// The hub's number of this terminal in its store, the second part of every order number.
    package var terminalNumber: Int64 = 0
    /// The hub's address.
    package var hub = ""
    /// Articles of the first pull; 0 where it failed.
    package var products: Int64 = 0

    /// The result of an enrolment that the hub granted; `products` is 0 where the first pull failed.
    package init(terminalId: String, storeId: String, terminalNumber: Int64, hub: String, products: Int64) {
        self.terminalId = terminalId
        self.storeId = storeId
        self.terminalNumber = terminalNumber
        self.hub = hub
        self.products = products
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("terminalId", &terminalId)
        try m("storeId", &storeId)
        try m("terminalNumber", &terminalNumber)
        try m("hub", &hub)
        try m("products", &products)
    }
}

/// What a repair brought over: the report that the fresh database keeps.
package struct RepairReport: MemberDocument {
    /// An entry that could not be brought over.
    package struct LostEntry: MemberDocument {
        /// The entry's number in the journal, which has no gaps.
        package var sequence: Int64 = 0
        /// A ULID; nil where it cannot be read either.
        package var id: String?
        /// Known where the sale's own row can be read; nil otherwise.
        package var orderNumber: String?
        /// `acknowledged` or `unknown`.
        package var state = ""
        /// `changed` or `unreadable`.
        package var reason = ""

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("sequence", &sequence)
            try m.nullable("id", &id)
            try m.nullable("orderNumber", &orderNumber)
            try m("state", &state)
            try m("reason", &reason)
        }

        /// Whether the hub had acknowledged the entry, so that only this terminal's copy is lost.
        package var isAtHub: Bool { state == "acknowledged" }
    }

    /// RFC 3339.
    package var at = ""
    /// How many entries were read, proven by their hashes and copied.
    package var entries: Int64 = 0
    /// How many entries wait to be sent.
    package var pending: Int64 = 0
    /// How many of ``entries`` the hub refused and nobody has resolved.
    package var refused: Int64 = 0
    /// At most 1,000 of ``lostCount``.
    package var lost: [LostEntry] = []
    /// How many entries were lost; ``lost`` lists at most 1,000 of them.
    package var lostCount: Int64 = 0
    /// Unreadable entries that the hub may not have; nil: not known.
    package var lostPending: Int64?
    /// Whether the last entry is known, so that none behind it was lost.
    package var isEndKnown = false
    /// `kept` or `lost`.
    package var identity = ""

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("at", &at)
        try m("entries", &entries)
        try m("pending", &pending)
        try m("refused", &refused)
        try m("lost", &lost)
        try m("lostCount", &lostCount)
        try m.nullable("lostPending", &lostPending)
        try m("isEndKnown", &isEndKnown)
        try m("identity", &identity)
    }
}

/// The document of `pos repair --json`.
package enum RepairResult: AgentDocument {
    /// The database is intact, and nothing was changed.
    case notDamaged
    /// - Parameters:
    ///   - epoch: the journal's number under which the terminal continues.
    ///   - quarantine: where the files of the damaged database are now.
    case repaired(RepairReport, epoch: Int64, quarantine: [String])

    /// Reads the other members where `repaired` is true alone.
    package init(_ members: AgentMembers) throws(ShapeError) {
        guard try members.read("repaired") else {
            self = .notDamaged
            return
        }
        self = .repaired(
            try RepairReport(members), epoch: try members.read("epoch"),
            quarantine: try members.read("quarantine"))
    }

    /// `{"repaired":false}`, or the report's members with `repaired`, `epoch` and `quarantine`.
    package var json: JSONValue {
        switch self {
        case .notDamaged: return ["repaired": false]
        case .repaired(let report, let epoch, let quarantine):
            var members = report.json.object ?? [:]
            members["repaired"] = true
            members["epoch"] = .integer(epoch)
            members["quarantine"] = quarantine.json
            return .object(members)
        }
    }
}
