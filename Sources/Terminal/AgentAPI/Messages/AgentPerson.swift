package import Base
package import HubProtocol

/// Who sends a request, and who approves it.
package struct AgentPerson: Hashable, Sendable {
    /// Who approves what the cashier's role does not allow.
    package struct Approver: Hashable, Sendable {
        /// The id of a manager, another person than the cashier.
        package let id: String
        /// Nil: the agent refuses the request with `pin_required` where it needs the approval.
        @Secret package private(set) var pin: String?

        /// An approver; `pin` is nil where none was entered.
        package init(id: String, pin: String?) {
            (self.id, self.pin) = (id, pin)
        }
    }

    /// Nil: whoever is signed in.
    package var cashierId: String?
    /// The cashier's PIN, for this request alone; nil where the cashier is the one who is signed in.
    @Secret package var pin: String?
    /// Nil: nobody approves, and an action that needs an approval is refused with `approval_required`.
    package var approver: Approver?

    /// A sender; without arguments it is whoever is signed in, without an approver.
    package init(cashierId: String? = nil, pin: String? = nil, approver: Approver? = nil) {
        (self.cashierId, self.pin, self.approver) = (cashierId, pin, approver)
    }

    /// Reads the members of a request that say who sends it; each may be missing.
    package init(body: JSONValue?) throws(RequestRefusal) {
        try self.init(RequestMembers(body ?? [:], of: .request))
    }

    init(_ members: RequestMembers) throws(RequestRefusal) {
        self.init(cashierId: try members.text("cashierId"), pin: try members.text("pin"))
        guard let approver = try members.object("approver") else { return }
        guard let id = approver["id"]?.string else { throw members.malformed("approver.id", "a string") }
        if let pin = approver["pin"], pin != .null, pin.string == nil {
            throw members.malformed("approver.pin", "a string")
        }
        self.approver = Approver(id: id, pin: approver["pin"]?.string)
    }

    /// The names of the members.
    static let names: Set = ["cashierId", "pin", "approver"]

    /// `body` with the members of whoever sends it.
    func added(to body: JSONObject) -> JSONObject {
        var members = body
        if let cashierId { members["cashierId"] = .string(cashierId) }
        if let pin { members["pin"] = .string(pin) }
        if let approver {
            var approval: JSONObject = ["id": .string(approver.id)]
            if let pin = approver.pin { approval["pin"] = .string(pin) }
            members["approver"] = .object(approval)
        }
        return members
    }
}
