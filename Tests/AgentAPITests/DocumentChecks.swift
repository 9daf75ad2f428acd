import HubProtocol
import Testing

@testable import AgentAPI

/// Checks one response: it is read and written without a change, and each member that it needs is missed.
///
/// - Parameter optional: top-level members that may be missing.
func checkDocument<Document: AgentDocument>(
    _ type: Document.Type, _ text: String, optional: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> Document {
    let json = try JSONParser.parse(Array(text.utf8))
    let document = try Document(json: json)
    #expect(document.json.canonicalText == json.canonicalText, sourceLocation: sourceLocation)
    #expect(try Document(json: document.json) == document, sourceLocation: sourceLocation)
    let members = try #require(json.object)
    for key in members.keys where !optional.contains(key) {
        var less = members
        less[key] = nil
        #expect(
            throws: ShapeError(path: key, expected: "present"), "without \(key)",
            sourceLocation: sourceLocation
        ) { try Document(json: .object(less)) }
    }
    return document
}

/// The body of `call` as the agent receives it: written as bytes and parsed.
func received(_ call: some AgentCall) throws -> JSONValue {
    try JSONParser.parse(try #require(call.request.body).canonicalBytes)
}
