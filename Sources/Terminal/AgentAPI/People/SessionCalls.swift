package import HubProtocol

/// The calls below `/v1/session`: who is signed in.
package enum SessionCall: AgentCall, Hashable {
    /// Who is signed in after the call.
    package typealias Response = SessionResponse

    /// `GET /v1/session`.
    case show
    /// `POST /v1/session`.
    case signIn(cashierId: String, pin: String)
    /// `POST /v1/session/end`.
    case signOut

    /// Reads the body of `POST /v1/session`.
    package init(signIn body: JSONValue?) throws(RequestRefusal) {
        guard let id = body?["cashierId"]?.string, let pin = body?["pin"]?.string else {
            throw Self.malformed
        }
        self = .signIn(cashierId: id, pin: pin)
    }

    /// The refusal of a sign-in without a cashier or without a PIN.
    package static var malformed: RequestRefusal { .malformed("cashierId and pin", "strings") }

    /// `GET` for ``show`` alone; the body of ``signIn(cashierId:pin:)`` contains the PIN as text.
    package var request: AgentRequest {
        switch self {
        case .show: AgentRequest("GET", AgentRoutes.session)
        case .signIn(let cashierId, let pin):
            AgentRequest(
                "POST", AgentRoutes.session, body: ["cashierId": .string(cashierId), "pin": .string(pin)])
        case .signOut: AgentRequest("POST", AgentRoutes.sessionEnd)
        }
    }
}

/// Who is signed in.
package struct SessionResponse: AgentDocument {
    /// A cashier with a valid sign-in.
    package struct Cashier: Hashable, Sendable {
        /// The cashier's id of the hub's import, as a sale records it.
        package let id: String
        /// The cashier's name in the hub's import, for people.
        package let name: String
        /// `cashier` or `manager`.
        package let role: String
        /// RFC 3339.
        package let signedInAt: String
        /// RFC 3339.
        package let expiresAt: String

        /// A cashier; both times are RFC 3339.
        package init(id: String, name: String, role: String, signedInAt: String, expiresAt: String) {
            self.id = id
            self.name = name
            self.role = role
            self.signedInAt = signedInAt
            self.expiresAt = expiresAt
        }
    }

    /// Nil: nobody.
    package let cashier: Cashier?

    /// A response; nil is the one for nobody.
    package init(_ cashier: Cashier?) {
        self.cashier = cashier
    }

    /// A `cashierId` that is null is nobody; with one every other member is required.
    package init(_ members: AgentMembers) throws(ShapeError) {
        guard let id: String = try members.nullable("cashierId") else {
            cashier = nil
            return
        }
        cashier = Cashier(
            id: id, name: try members.read("name"), role: try members.read("role"),
            signedInAt: try members.read("signedInAt"), expiresAt: try members.read("expiresAt"))
    }

    /// `{"cashierId":null}` for nobody, otherwise five members.
    package var json: JSONValue {
        guard let cashier else { return ["cashierId": .null] }
        return [
            "cashierId": .string(cashier.id), "name": .string(cashier.name), "role": .string(cashier.role),
            "signedInAt": .string(cashier.signedInAt), "expiresAt": .string(cashier.expiresAt),
        ]
    }
}
