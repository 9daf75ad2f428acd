public import HubProtocol

/// The document of `pos init --json`.
public struct EnrolmentResult: AgentDocument {
    public let terminalId: String
    public let storeId: String
    public let terminalNumber: Int64
    /// The hub's address.
    public let hub: String
    /// Articles of the first pull; 0 where it failed.
    public let products: Int64

    public init(terminalId: String, storeId: String, terminalNumber: Int64, hub: String, products: Int64) {
        self.terminalId = terminalId
        self.storeId = storeId
        self.terminalNumber = terminalNumber
        self.hub = hub
        self.products = products
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            terminalId: try members.string("terminalId"), storeId: try members.string("storeId"),
            terminalNumber: try members.integer("terminalNumber"), hub: try members.string("hub"),
            products: try members.integer("products"))
    }

    public var json: JSONValue {
        [
            "terminalId": .string(terminalId), "storeId": .string(storeId),
            "terminalNumber": .integer(terminalNumber), "hub": .string(hub), "products": .integer(products),
        ]
    }
}

/// What a repair brought over: the report that the fresh database keeps.
public struct RepairReport: AgentDocument {
    /// An entry that could not be brought over.
    public struct LostEntry: AgentDocument {
        public let sequence: Int64
        public let id: String?
        public let orderNumber: String?
        /// `acknowledged` or `unknown`.
        public let state: String
        /// `changed` or `unreadable`.
        public let reason: String

        public init(sequence: Int64, id: String?, orderNumber: String?, state: String, reason: String) {
            self.sequence = sequence
            self.id = id
            self.orderNumber = orderNumber
            self.state = state
            self.reason = reason
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                sequence: try members.integer("sequence"), id: try members.nullable("id", members.string),
                orderNumber: try members.nullable("orderNumber", members.string),
                state: try members.string("state"), reason: try members.string("reason"))
        }

        public var json: JSONValue {
            [
                "sequence": .integer(sequence), "id": JSONValue(id), "orderNumber": JSONValue(orderNumber),
                "state": .string(state), "reason": .string(reason),
            ]
        }

        public var isAtHub: Bool { state == "acknowledged" }
    }

    /// RFC 3339.
    public let at: String
    public let entries: Int64
    /// How many entries wait to be sent.
    public let pending: Int64
    public let refused: Int64
    /// At most 1,000 of ``lostCount``.
    public let lost: [LostEntry]
    public let lostCount: Int64
    /// Unreadable entries that the hub may not have; nil: not known.
    public let lostPending: Int64?
    /// Whether the last entry is known, so that none behind it was lost.
    public let isEndKnown: Bool
    /// `kept` or `lost`.
    public let identity: String

    public init(_ members: AgentMembers) throws(ShapeError) {
        at = try members.string("at")
        entries = try members.integer("entries")
        pending = try members.integer("pending")
        refused = try members.integer("refused")
        lost = try members.documents("lost")
        lostCount = try members.integer("lostCount")
        lostPending = try members.nullable("lostPending", members.integer)
        isEndKnown = try members.bool("isEndKnown")
        identity = try members.string("identity")
    }

    var members: JSONObject {
        [
            "at": .string(at), "entries": .integer(entries), "pending": .integer(pending),
            "refused": .integer(refused), "lost": JSONValue(documents: lost),
            "lostCount": .integer(lostCount), "lostPending": JSONValue(lostPending),
            "isEndKnown": .bool(isEndKnown), "identity": .string(identity),
        ]
    }

    public var json: JSONValue { .object(members) }
}

/// The document of `pos repair --json`.
public enum RepairResult: AgentDocument {
    case notDamaged
    /// - Parameters:
    ///   - epoch: the journal's number under which the terminal continues.
    ///   - quarantine: where the files of the damaged database are now.
    case repaired(RepairReport, epoch: Int64, quarantine: [String])

    public init(_ members: AgentMembers) throws(ShapeError) {
        guard try members.bool("repaired") else {
            self = .notDamaged
            return
        }
        self = .repaired(
            try RepairReport(members), epoch: try members.integer("epoch"),
            quarantine: try members.strings("quarantine"))
    }

    public var json: JSONValue {
        switch self {
        case .notDamaged: return ["repaired": false]
        case .repaired(let report, let epoch, let quarantine):
            var members = report.members
            members["repaired"] = true
            members["epoch"] = .integer(epoch)
            members["quarantine"] = JSONValue(strings: quarantine)
            return .object(members)
        }
    }
}
