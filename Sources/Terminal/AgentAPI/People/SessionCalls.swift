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
package struct SessionResponse: MemberDocument {
    /// A cashier with a valid sign-in.
    package struct Cashier: MemberDocument {
        /// The cashier's id of the hub's import, as a sale records it.
        package var id = ""
        /// The cashier's name in the hub's import, for people.
        package var name = ""
        /// `cashier` or `manager`.
        package var role = ""
        /// RFC 3339.
        package var signedInAt = ""
        /// RFC 3339.
        package var expiresAt = ""

        /// A cashier; both times are RFC 3339.
        package init(id: String, name: String, role: String, signedInAt: String, expiresAt: String) {
            self.id = id
            self.name = name
            self.role = role
            self.signedInAt = signedInAt
            self.expiresAt = expiresAt
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("cashierId", &id)
            try m("name", &name)
            try m("role", &role)
            try m("signedInAt", &signedInAt)
            try m("expiresAt", &expiresAt)
        }
    }

    /// Nil: nobody.
    package var cashier: Cashier?

    /// A response; nil is the one for nobody.
    package init(_ cashier: Cashier?) {
        self.cashier = cashier
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m.part("cashierId", &cashier)
        var nobody: String?
        if cashier == nil { try m.nullable("cashierId", &nobody) }
    }
}
