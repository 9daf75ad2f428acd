internal import HubProtocol
internal import Retail

extension PersonClaim {
    /// The members of a request that say who it comes from.
    static let members: Set = ["cashierId", "pin", "approver"]

    /// Reads `{"cashierId","pin","approver":{"id","pin"}}`, each of which may be missing.
    init(_ fields: RequestFields) throws(TerminalError) {
        self.init(cashierId: try fields.text("cashierId"), pin: try fields.text("pin"))
        guard let approver = try fields.object("approver") else { return }
        guard let id = approver["id"]?.string else { throw fields.malformed("approver.id", "a string") }
        if let pin = approver["pin"], pin != .null, pin.string == nil {
            throw fields.malformed("approver.pin", "a string")
        }
        self.approver = Approver(id: id, pin: approver["pin"]?.string)
    }

    init(json: JSONValue?, of subject: RequestFields.Subject) throws(TerminalError) {
        try self.init(RequestFields(json ?? [:], path: "", of: subject))
    }
}
