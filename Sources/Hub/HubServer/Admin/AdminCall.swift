package import HubCore
package import HubProtocol

/// The requests of this machine's commands to a hub, in one form whether it runs or not: over its local
/// socket as `POST /admin/<name>` with the JSON of the case, or done by the command itself.
package enum AdminCall: Hashable, Sendable {
    /// Mints an enrolment code for a store. The lifetime is in milliseconds.
    case mintCode(storeId: String, lifetime: Int64)
    /// Mints so many at once, for a store's tills.
    case mintCodes(storeId: String, lifetime: Int64, count: Int64)
    case listTerminals
    case revokeTerminal(id: String)
    /// A terminal with the pieces that others handed in of it.
    case showTerminal(id: String)
    /// Takes the entries of the pieces that wait for a person.
    case acceptRelayed(id: String, reason: String)
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
    /// Who the journal feed is sent to.
    case webhook(WebhookCall)
    /// A step of an archive.
    case archive(ArchiveCall)
    /// What people and back offices look at and decide.
    case backOffice(BackOfficeCall)

    /// The last segment of the call's path.
    package var name: String { request.name }

    /// The body of `POST /admin/<name>`; the calls without values have an empty object.
    package var json: JSONValue { request.body }

    private var request: CallRequest {
        switch self {
        case .mintCode(let storeId, let lifetime):
            .init("mint-code", ["storeId": .string(storeId), "lifetimeMs": .integer(lifetime)])
        case .mintCodes(let storeId, let lifetime, let count):
            .init(
                "mint-codes",
                [
                    "storeId": .string(storeId), "lifetimeMs": .integer(lifetime), "count": .integer(count),
                ])
        case .listTerminals: .init("list-terminals")
        case .revokeTerminal(let id): .init("revoke-terminal", ["id": .string(id)])
        case .showTerminal(let id): .init("show-terminal", ["id": .string(id)])
        case .acceptRelayed(let id, let reason):
            .init("accept-relayed", ["id": .string(id), "reason": .string(reason)])
        case .confirmTerminal(let id): .init("confirm-terminal", ["id": .string(id)])
        case .linkTerminal(let id, let earlier):
            .init("link-terminal", ["id": .string(id), "earlier": .string(earlier)])
        case .listCodes: .init("list-codes")
        case .revokeCode(let id): .init("revoke-code", ["id": .string(id)])
        case .importList(let list, let gone):
            .init(list.kind.call, list.json.with(["withdrawn": .array(gone.map(JSONValue.string))]))
        case .hashPINs(let cashiers): .init("hash-pins", ImportedList.cashiers(cashiers).json)
        case .withdraw(let kind, let id):
            .init("withdraw", ["kind": .string(kind.rawValue), "id": .string(id)])
        case .audit(let terminal): .init("audit", ["terminal": JSONValue(terminal)])
        case .checkStore: .init("check-store")
        case .eraseMember(let id): .init("erase-member", ["id": .string(id)])
        case .revertMembers(let reversal): .init("revert-members", reversal.json)
        case .releaseHeldPoints(let held): .init("release-held-points", held.json)
        case .doubleMembers(let limit): .init("double-members", ["limit": .integer(limit)])
        case .mergeMembers(let kept, let other):
            .init("merge-members", ["kept": .string(kept), "other": .string(other)])
        case .openExport(let opening): .init("open-export", opening.json)
        case .registerTerminal(let opening): .init("register-terminal", opening.json)
        case .ingest(let part): .init("ingest", part.json)
        case .findReceipt(let number): .init("find-receipt", ["number": .string(number)])
        case .listAttachments(let terminal): .init("list-attachments", ["terminal": JSONValue(terminal)])
        case .readAttachment(let id, let terminal, let at):
            .init("read-attachment", ["id": .string(id), "terminal": .string(terminal), "at": .integer(at)])
        case .ingestAttachment(let part): .init("ingest-attachment", part.json)
        case .addOperator(let name, let role, let lifetime):
            .init(
                "add-operator",
                ["name": .string(name), "role": .string(role), "lifetimeMs": .integer(lifetime)])
        case .listOperators: .init("list-operators")
        case .removeOperator(let name): .init("remove-operator", ["name": .string(name)])
        case .operatorLog(let limit): .init("operator-log", ["limit": .integer(limit)])
        case .storeSettings(let storeId): .init("store-settings", ["storeId": .string(storeId)])
        case .changeStoreSettings(let storeId, let changes):
            .init("change-store-settings", ["storeId": .string(storeId), "changes": .object(changes)])
        case .listKeys: .init("list-keys")
        case .rotateKeys(let kinds, let overlap):
            .init(
                "rotate-keys",
                ["kinds": .array(kinds.map { .string($0.rawValue) }), "overlapMs": .integer(overlap)])
        case .replaceLostKeys: .init("replace-lost-keys")
        case .exportKeys(let id): .init("export-keys", ["id": .string(id)])
        case .importKeys(let keys): .init("import-keys", ["keys": keys])
        case .qosStatus: .init("qos-status")
        case .qosTerminals: .init("qos-terminals")
        case .qosHistory(let service, let limit):
            .init("qos-history", ["service": JSONValue(service), "limit": .integer(limit)])
        case .overrideService(let service, let state, let reason, let until, let storeId):
            .init(
                "override-service",
                [
                    "service": .string(service), "state": .string(state), "reason": .string(reason),
                    "until": JSONValue(until), "storeId": JSONValue(storeId),
                ])
        case .clearOverride(let service, let storeId):
            .init("clear-override", ["service": .string(service), "storeId": JSONValue(storeId)])
        case .readJournal(let after, let storeId, let types):
            .init(
                "read-journal",
                ["after": JSONValue(after), "storeId": JSONValue(storeId), "types": JSONValue(types)])
        case .webhook(let call): call.request
        case .archive(let call): .init(ArchiveCall.name, call.json)
        case .backOffice(let call): call.request
        }
    }

    /// The call `name` with the body `json`; nil for an unknown name.
    ///
    /// - Throws: ``ShapeError`` for a body that does not fit.
    package init?(name: String, json: JSONValue) throws(ShapeError) {
        switch name {
        case "mint-code":
            self = try .mintCode(
                storeId: json.requiredString("storeId"), lifetime: json.requiredInteger("lifetimeMs"))
        case "mint-codes":
            self = try .mintCodes(
                storeId: json.requiredString("storeId"), lifetime: json.requiredInteger("lifetimeMs"),
                count: json.requiredInteger("count"))
        case "list-terminals": self = .listTerminals
        case "confirm-terminal": self = try .confirmTerminal(id: json.requiredString("id"))
        case "link-terminal":
            self = try .linkTerminal(
                id: json.requiredString("id"), earlier: json.requiredString("earlier"))
        case "list-codes": self = .listCodes
        case "revoke-code": self = try .revokeCode(id: json.requiredString("id"))
        case "revoke-terminal": self = try .revokeTerminal(id: json.requiredString("id"))
        case "hash-pins":
            guard case .cashiers(let cashiers) = try ImportedList(.cashiers, json: json) else { return nil }
            self = .hashPINs(cashiers)
        case "withdraw":
            guard let kind = ImportedList.Kind(rawValue: try json.requiredString("kind")) else {
                throw ShapeError(path: "kind", expected: "a kind of imported record")
            }
            self = try .withdraw(kind, id: json.requiredString("id"))
        case "erase-member": self = try .eraseMember(id: json.requiredString("id"))
        case "revert-members": self = try .revertMembers(MemberReversal(json: json))
        case "release-held-points": self = try .releaseHeldPoints(HeldPoints(json: json))
        case "double-members": self = try .doubleMembers(limit: json.requiredInteger("limit", in: 1...10_000))
        case "merge-members":
            self = try .mergeMembers(
                kept: json.requiredString("kept"), other: json.requiredString("other"))
        case "check-store": self = .checkStore
        case "audit": self = .audit(terminal: json["terminal"]?.string)
        case "open-export": self = try .openExport(ExportOpening(json: json))
        case "register-terminal": self = try .registerTerminal(ExportOpening(json: json))
        case "ingest": self = try .ingest(JournalPart(json: json))
        case "find-receipt": self = try .findReceipt(number: json.requiredString("number"))
        case "list-attachments": self = .listAttachments(terminal: json["terminal"]?.string)
        case "read-attachment":
            self = try .readAttachment(
                id: json.requiredString("id"), terminal: json.requiredString("terminal"),
                at: json.requiredInteger("at"))
        case "ingest-attachment": self = try .ingestAttachment(AttachmentPart(json: json))
        case "add-operator":
            self = try .addOperator(
                name: json.requiredString("name"), role: json.requiredString("role"),
                lifetime: json.requiredInteger("lifetimeMs"))
        case "list-operators": self = .listOperators
        case "remove-operator": self = try .removeOperator(name: json.requiredString("name"))
        case "operator-log": self = try .operatorLog(limit: json.requiredInteger("limit"))
        case "store-settings": self = try .storeSettings(storeId: json.requiredString("storeId"))
        case "change-store-settings":
            self = try .changeStoreSettings(
                storeId: json.requiredString("storeId"),
                json.requiredObject("changes").object ?? [:])
        case "list-keys": self = .listKeys
        case "rotate-keys":
            self = try .rotateKeys(
                json.requiredArray("kinds").compactMap { $0.string.flatMap(HubKeyEntry.Kind.init) },
                overlap: json.requiredInteger("overlapMs"))
        case "replace-lost-keys": self = .replaceLostKeys
        case "export-keys": self = try .exportKeys(id: json.requiredString("id"))
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
        case "show-terminal": return try .showTerminal(id: json.requiredString("id"))
        case "accept-relayed":
            return try .acceptRelayed(
                id: json.requiredString("id"), reason: json.requiredString("reason"))
        case ArchiveCall.name: return .archive(try ArchiveCall(json: json))
        case "qos-status": return .qosStatus
        case "qos-terminals": return .qosTerminals
        case "qos-history":
            return try .qosHistory(
                service: json["service"]?.string, limit: json.requiredInteger("limit"))
        case "override-service":
            return try .overrideService(
                json.requiredString("service"), state: json.requiredString("state"),
                reason: json.requiredString("reason"), until: json["until"]?.integer,
                storeId: json["storeId"]?.string)
        case "clear-override":
            return try .clearOverride(
                json.requiredString("service"), storeId: json["storeId"]?.string)
        case _:
            if let call = try BackOfficeCall(name: name, json: json) { return .backOffice(call) }
            if let call = try WebhookCall(name: name, json: json) { return .webhook(call) }
            guard let kind = ImportedList.Kind(call: name) else { return nil }
            return try .importList(
                ImportedList(kind, json: json), withdrawing: json.strings("withdrawn"))
        }
    }
}

/// What a call sends. The body is made where it is sent: that of an import has 25 MB.
struct CallRequest {
    let name: String
    private let made: () -> JSONValue

    init(_ name: String, _ body: @autoclosure @escaping () -> JSONValue = [:]) {
        (self.name, made) = (name, body)
    }

    var body: JSONValue { made() }
}

extension JSONValue {
    /// The members of this object and `others`.
    func with(_ others: JSONObject) -> JSONValue { .object((object ?? [:]).merging(others) { $1 }) }
}
