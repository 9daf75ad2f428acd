package import HubCore
package import HubProtocol

/// The requests of this machine's commands to a hub, in one form whether it runs or not: over its local
/// socket as `POST /admin/<name>` with the JSON of the case, or done by the command itself.
package enum AdminCall: Hashable, Sendable {
    /// Mints an enrolment code for a store. The lifetime is in milliseconds.
    case mintCode(storeId: String, lifetime: Int64)
    case listTerminals
    case revokeTerminal(id: String)
    case confirmTerminal(id: String)
    /// A till that lost its key is one device with the terminal that it was before.
    case linkTerminal(id: String, earlier: String)
    case listCodes
    case revokeCode(id: String)
    /// With the ids of what the file withdraws.
    case importList(ImportedList, withdrawing: [String] = [])
    /// Works out what the PINs of an import are checked against, some at a time, since each takes a while.
    case hashPINs([CashierEntry])
    /// Takes one record from every terminal.
    case withdraw(ImportedList.Kind, id: String)
    case audit(terminal: String?)
    /// Reads everything of the store and lists what is damaged.
    case checkStore
    /// Takes a member's personal data out of the hub.
    case eraseMember(id: String)
    /// Takes back what a terminal changed of members.
    case revertMembers(MemberReversal)
    /// Gives members the points that wait of a terminal's sales.
    case releaseHeldPoints(HeldPoints)
    /// Members who may be one person, at most so many groups.
    case doubleMembers(limit: Int64)
    /// Makes two members one person: the first stays.
    case mergeMembers(kept: String, other: String)
    /// The terminal of a dead terminal's file, and the key that it is encrypted with.
    case openExport(ExportOpening)
    /// Registers the terminal of a file that this hub does not know.
    case registerTerminal(ExportOpening)
    /// Part of a dead till's journal.
    case ingest(JournalPart)
    /// The journal entries behind an order number.
    case findReceipt(number: String)
    case listAttachments(terminal: String?)
    /// The piece of an attachment that begins at a byte.
    case readAttachment(id: String, terminal: String, at: Int64)
    /// Part of a dead till's attachment.
    case ingestAttachment(AttachmentPart)
    /// Adds an operator, or gives a known one a new role and token. The lifetime is in milliseconds.
    case addOperator(name: String, role: String, lifetime: Int64)
    case listOperators
    case removeOperator(name: String)
    /// The newest entries of the operators' log, verified from its beginning.
    case operatorLog(limit: Int64)
    case storeSettings(storeId: String)
    /// Changes settings of a store by their keys; null takes one back.
    case changeStoreSettings(storeId: String, JSONObject)
    case listKeys
    /// New keys of some kinds; what the present ones signed counts for a while, in milliseconds.
    case rotateKeys([HubKeyEntry.Kind], overlap: Int64)
    /// New keys in the place of those that are gone.
    case replaceLostKeys
    /// The private key of an id, or `all`.
    case exportKeys(id: String)
    /// What an export wrote.
    case importKeys(JSONValue)
    case qosStatus
    /// What each terminal follows that the serving hub has seen.
    case qosTerminals
    /// The newest changes of one service, or of all.
    case qosHistory(service: String?, limit: Int64)
    /// An operator's override of a service, until milliseconds since 1970 or until it is taken back; for one
    /// store, or for the chain.
    case overrideService(
        String, state: String, reason: String, until: Int64?, storeId: String? = nil)
    case clearOverride(String, storeId: String? = nil)
    /// Documents of the journal feed behind a cursor, as texts; `types` is a list with commas.
    case readJournal(after: String?, storeId: String?, types: String?)
    /// What people and back offices look at and decide.
    case backOffice(BackOfficeCall)

    /// The last segment of the call's path.
    package var name: String {
        switch self {
        case .mintCode: "mint-code"
        case .listTerminals: "list-terminals"
        case .revokeTerminal: "revoke-terminal"
        case .confirmTerminal: "confirm-terminal"
        case .linkTerminal: "link-terminal"
        case .listCodes: "list-codes"
        case .revokeCode: "revoke-code"
        case .importList(let list, _): "import-" + list.kind.rawValue
        case .hashPINs: "hash-pins"
        case .withdraw: "withdraw"
        case .audit: "audit"
        case .checkStore: "check-store"
        case .eraseMember: "erase-member"
        case .revertMembers: "revert-members"
        case .releaseHeldPoints: "release-held-points"
        case .doubleMembers: "double-members"
        case .mergeMembers: "merge-members"
        case .openExport: "open-export"
        case .registerTerminal: "register-terminal"
        case .ingest: "ingest"
        case .findReceipt: "find-receipt"
        case .listAttachments: "list-attachments"
        case .readAttachment: "read-attachment"
        case .ingestAttachment: "ingest-attachment"
        case .addOperator: "add-operator"
        case .listOperators: "list-operators"
        case .removeOperator: "remove-operator"
        case .operatorLog: "operator-log"
        case .storeSettings: "store-settings"
        case .changeStoreSettings: "change-store-settings"
        case .listKeys: "list-keys"
        case .rotateKeys: "rotate-keys"
        case .replaceLostKeys: "replace-lost-keys"
        case .exportKeys: "export-keys"
        case .importKeys: "import-keys"
        case .qosStatus: "qos-status"
        case .qosTerminals: "qos-terminals"
        case .qosHistory: "qos-history"
        case .overrideService: "override-service"
        case .clearOverride: "clear-override"
        case .readJournal: "read-journal"
        case .backOffice(let call): call.name
        }
    }

    /// The body of `POST /admin/<name>`; the calls without values have an empty object.
    package var json: JSONValue {
        switch self {
        case .mintCode(let storeId, let lifetime):
            ["storeId": .string(storeId), "lifetimeMs": .integer(lifetime)]
        case .checkStore, .listTerminals, .listOperators, .listCodes, .listKeys, .replaceLostKeys, .qosStatus,
            .qosTerminals:
            [:]
        case .rotateKeys(let kinds, let overlap):
            ["kinds": .array(kinds.map { .string($0.rawValue) }), "overlapMs": .integer(overlap)]
        case .exportKeys(let id): ["id": .string(id)]
        case .importKeys(let keys): ["keys": keys]
        case .revokeTerminal(let id), .confirmTerminal(let id), .revokeCode(let id): ["id": .string(id)]
        case .linkTerminal(let id, let earlier): ["id": .string(id), "earlier": .string(earlier)]
        case .importList(let list, let gone):
            .object(
                (list.json.object ?? [:]).merging(["withdrawn": .array(gone.map(JSONValue.string))]) { $1 })
        case .hashPINs(let cashiers): ["cashiers": .array(cashiers.map(\.json))]
        case .withdraw(let kind, let id): ["kind": .string(kind.rawValue), "id": .string(id)]
        case .audit(let terminal): ["terminal": JSONValue(terminal)]
        case .eraseMember(let id): ["id": .string(id)]
        case .revertMembers(let reversal): reversal.json
        case .releaseHeldPoints(let held): held.json
        case .doubleMembers(let limit): ["limit": .integer(limit)]
        case .mergeMembers(let kept, let other): ["kept": .string(kept), "other": .string(other)]
        case .openExport(let opening), .registerTerminal(let opening): opening.json
        case .ingest(let part): part.json
        case .findReceipt(let number): ["number": .string(number)]
        case .listAttachments(let terminal): ["terminal": JSONValue(terminal)]
        case .readAttachment(let id, let terminal, let firstByte):
            ["id": .string(id), "terminal": .string(terminal), "at": .integer(firstByte)]
        case .ingestAttachment(let part): part.json
        case .addOperator(let name, let role, let lifetime):
            ["name": .string(name), "role": .string(role), "lifetimeMs": .integer(lifetime)]
        case .removeOperator(let name): ["name": .string(name)]
        case .operatorLog(let limit): ["limit": .integer(limit)]
        case .storeSettings(let storeId): ["storeId": .string(storeId)]
        case .changeStoreSettings(let storeId, let changes):
            ["storeId": .string(storeId), "changes": .object(changes)]
        case .overrideService(let service, let state, let reason, let until, let storeId):
            [
                "service": .string(service), "state": .string(state), "reason": .string(reason),
                "until": JSONValue(until), "storeId": JSONValue(storeId),
            ]
        case .clearOverride(let service, let storeId):
            ["service": .string(service), "storeId": JSONValue(storeId)]
        case .qosHistory(let service, let limit):
            ["service": JSONValue(service), "limit": .integer(limit)]
        case .readJournal(let after, let storeId, let types):
            ["after": JSONValue(after), "storeId": JSONValue(storeId), "types": JSONValue(types)]
        case .backOffice(let call): call.json
        }
    }

    /// The call `name` with the body `json`; nil for an unknown name.
    ///
    /// - Throws: ``ShapeError`` for a body that does not fit.
    package init?(name: String, json: JSONValue) throws(ShapeError) {
        switch name {
        case "mint-code":
            self = .mintCode(
                storeId: try json.requiredString("storeId"), lifetime: try json.requiredInteger("lifetimeMs"))
        case "list-terminals": self = .listTerminals
        case "confirm-terminal": self = .confirmTerminal(id: try json.requiredString("id"))
        case "link-terminal":
            self = .linkTerminal(
                id: try json.requiredString("id"), earlier: try json.requiredString("earlier"))
        case "list-codes": self = .listCodes
        case "revoke-code": self = .revokeCode(id: try json.requiredString("id"))
        case "revoke-terminal": self = .revokeTerminal(id: try json.requiredString("id"))
        case "hash-pins":
            guard case .cashiers(let cashiers) = try ImportedList(.cashiers, json: json) else { return nil }
            self = .hashPINs(cashiers)
        case "withdraw":
            guard let kind = ImportedList.Kind(rawValue: try json.requiredString("kind")) else {
                throw ShapeError(path: "kind", expected: "a kind of imported record")
            }
            self = .withdraw(kind, id: try json.requiredString("id"))
        case "erase-member": self = .eraseMember(id: try json.requiredString("id"))
        case "revert-members": self = .revertMembers(try MemberReversal(json: json))
        case "release-held-points": self = .releaseHeldPoints(try HeldPoints(json: json))
        case "double-members": self = .doubleMembers(limit: try json.requiredInteger("limit", in: 1...10_000))
        case "merge-members":
            self = .mergeMembers(
                kept: try json.requiredString("kept"), other: try json.requiredString("other"))
        case "check-store": self = .checkStore
        case "audit": self = .audit(terminal: json["terminal"]?.string)
        case "open-export": self = .openExport(try ExportOpening(json: json))
        case "register-terminal": self = .registerTerminal(try ExportOpening(json: json))
        case "ingest": self = .ingest(try JournalPart(json: json))
        case "find-receipt": self = .findReceipt(number: try json.requiredString("number"))
        case "list-attachments": self = .listAttachments(terminal: json["terminal"]?.string)
        case "read-attachment":
            self = .readAttachment(
                id: try json.requiredString("id"), terminal: try json.requiredString("terminal"),
                at: try json.requiredInteger("at"))
        case "ingest-attachment": self = .ingestAttachment(try AttachmentPart(json: json))
        case "add-operator":
            self = .addOperator(
                name: try json.requiredString("name"), role: try json.requiredString("role"),
                lifetime: try json.requiredInteger("lifetimeMs"))
        case "list-operators": self = .listOperators
        case "remove-operator": self = .removeOperator(name: try json.requiredString("name"))
        case "operator-log": self = .operatorLog(limit: try json.requiredInteger("limit"))
        case "store-settings": self = .storeSettings(storeId: try json.requiredString("storeId"))
        case "change-store-settings":
            self = .changeStoreSettings(
                storeId: try json.requiredString("storeId"),
                try json.requiredObject("changes").object ?? [:])
        case "list-keys": self = .listKeys
        case "rotate-keys":
            self = .rotateKeys(
                try json.requiredArray("kinds").compactMap { $0.string.flatMap(HubKeyEntry.Kind.init) },
                overlap: try json.requiredInteger("overlapMs"))
        case "replace-lost-keys": self = .replaceLostKeys
        case "export-keys": self = .exportKeys(id: try json.requiredString("id"))
        case "import-keys": self = .importKeys(json["keys"] ?? .null)
        case _:
            guard let other = try Self.other(name, json) else { return nil }
            self = other
        }
    }

    /// Calls about services, the back office's and imports.
    private static func other(_ name: String, _ json: JSONValue) throws(ShapeError) -> AdminCall? {
        switch name {
        case "read-journal":
            return .readJournal(
                after: json["after"]?.string, storeId: json["storeId"]?.string,
                types: json["types"]?.string)
        case "qos-status": return .qosStatus
        case "qos-terminals": return .qosTerminals
        case "qos-history":
            return .qosHistory(
                service: json["service"]?.string, limit: try json.requiredInteger("limit"))
        case "override-service":
            return .overrideService(
                try json.requiredString("service"), state: try json.requiredString("state"),
                reason: try json.requiredString("reason"), until: json["until"]?.integer,
                storeId: json["storeId"]?.string)
        case "clear-override":
            return .clearOverride(
                try json.requiredString("service"), storeId: json["storeId"]?.string)
        case _:
            if let call = try BackOfficeCall(name: name, json: json) { return .backOffice(call) }
            guard let kind = ImportedList.Kind(call: name) else { return nil }
            return .importList(
                try ImportedList(kind, json: json), withdrawing: try json.strings("withdrawn"))
        }
    }
}
