package import HubProtocol

/// One request to the agent, the same over its socket and inside one process.
package struct AgentRequest: Sendable, Hashable {
    /// An HTTP method in capitals, `"GET"`, `"POST"` or `"PUT"`.
    package let method: String
    /// Path without query, percent-encoded, for example `/v1/orders/01J…`.
    package let path: String
    /// Decoded values by their names, for example `["limit": "50"]`; empty without a query.
    package let query: [String: String]
    /// The JSON document of a `POST` or `PUT`; nil for a request without a body.
    package let body: JSONValue?
    /// Which front end sends it, `<ULID of its start>;<name>`: the header `Pos-Front-End`. Nil: none.
    package var frontEnd: String?
    /// Where the process runs that sent it, in the agent's own form: set where it arrives. Nil: unknown.
    package var process: String?
    /// Whether it comes from inside the agent's process, and ends with it.
    package var isOfAgent = false

    /// A request; without `query` and `body` it has neither.
    package init(_ method: String, _ path: String, query: [String: String] = [:], body: JSONValue? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// ``query`` as a document.
    package var queryJSON: JSONValue { .object(JSONObject(query.mapValues(JSONValue.string))) }
}

/// A typed request to the agent, and the type of its response.
///
/// `pos` encodes calls and decodes responses; the agent decodes calls and encodes responses. Both use the
/// same types, so that a JSON key of this interface is spelled in this module alone.
package protocol AgentCall: Sendable {
    /// The document of a successful response.
    associatedtype Response: AgentDocument

    /// The call as it goes over the socket.
    var request: AgentRequest { get }
}

/// A document of the interface: a response, or a part of one.
package protocol AgentDocument: DocumentValue {
    /// Reads the document. Unknown members are ignored, so that a newer agent may add some.
    ///
    /// - Throws: the path of a member that is missing or has another type.
    init(_ members: AgentMembers) throws(ShapeError)

    /// The document as the response carries it; `init(_:)` reads it back.
    var json: JSONValue { get }
}

extension AgentDocument {
    /// Reads the document of a whole response.
    package init(json: JSONValue) throws(ShapeError) {
        try self.init(AgentMembers(json, path: ""))
    }
}

/// Why the agent does not accept a request: it has not the form of its call. Nothing was done.
package struct RequestRefusal: Error, Hashable, Sendable {
    /// The kind decides the error's code: `malformed_request` or `unknown_field`, exit 2 for both.
    package enum Kind: Hashable, Sendable {
        /// A member is missing or has another type.
        case malformed
        /// A member that the call does not have. A misspelt member could be a price.
        case unknownField
        /// It contains what looks like a card number.
        case cardNumber
    }

    /// Decides the code of the error that the agent returns.
    package let kind: Kind
    /// One line for people; it names the member.
    package let message: String

    /// The refusal of the member `name` of a request that changes nothing.
    ///
    /// - Parameter expected: for example `a string`.
    package static func malformed(_ name: String, _ expected: String) -> RequestRefusal {
        RequestRefusal(kind: .malformed, message: "\(name) must be \(expected); nothing was done")
    }
}
