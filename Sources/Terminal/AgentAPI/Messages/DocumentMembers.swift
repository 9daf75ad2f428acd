package import HubProtocol

/// What a member of a document can be.
package protocol DocumentValue: Hashable, Sendable {
    /// - Parameter path: where `json` stands in the whole document, for errors.
    init(_ json: JSONValue, at path: String) throws(ShapeError)

    var json: JSONValue { get }
}

/// A document whose members are named once: ``members(_:)`` is run in both directions. To the reader it gives
/// the values of an empty document, by the writer their values are taken.
package protocol MemberDocument: AgentDocument {
    /// Without the value of any member.
    init()

    /// Visits each member once, in any order.
    mutating func members<Members: DocumentMembers>(_ m: inout Members) throws(Members.Failure)
}

/// One direction in which a document's members are visited.
package protocol DocumentMembers {
    /// `Never` for the writer.
    associatedtype Failure: Error

    /// A member that is always there.
    mutating func callAsFunction<Value: DocumentValue>(
        _ key: String, _ value: inout Value
    ) throws(Failure)
    /// A member that is always there, and null where it is nil.
    mutating func nullable<Value: DocumentValue>(_ key: String, _ value: inout Value?) throws(Failure)
    /// A member that is left out where it is nil, and may be null where it is read.
    mutating func optional<Value: DocumentValue>(_ key: String, _ value: inout Value?) throws(Failure)
    /// A member that is left out where it is `absent`, and is that where it is missing.
    mutating func optional<Value: DocumentValue>(
        _ key: String, _ value: inout Value, absent: Value
    ) throws(Failure)
}

private struct DocumentReader: DocumentMembers {
    typealias Failure = ShapeError

    let members: AgentMembers

    func callAsFunction<Value: DocumentValue>(_ key: String, _ value: inout Value) throws(ShapeError) {
        value = try members.read(key)
    }

    func nullable<Value: DocumentValue>(_ key: String, _ value: inout Value?) throws(ShapeError) {
        value = try members.nullable(key)
    }

    func optional<Value: DocumentValue>(_ key: String, _ value: inout Value?) throws(ShapeError) {
        value = try members.optional(key)
    }

    func optional<Value: DocumentValue>(
        _ key: String, _ value: inout Value, absent: Value
    ) throws(ShapeError) {
        var read: Value?
        try optional(key, &read)
        value = read ?? absent
    }
}

private struct DocumentWriter: DocumentMembers {
    typealias Failure = Never

    var members: [(String, JSONValue)] = []

    mutating func callAsFunction<Value: DocumentValue>(_ key: String, _ value: inout Value) {
        members.append((key, value.json))
    }

    mutating func nullable<Value: DocumentValue>(_ key: String, _ value: inout Value?) {
        members.append((key, value?.json ?? .null))
    }

    mutating func optional<Value: DocumentValue>(_ key: String, _ value: inout Value?) {
        if let value { members.append((key, value.json)) }
    }

    mutating func optional<Value: DocumentValue>(_ key: String, _ value: inout Value, absent: Value) {
        if value != absent { members.append((key, value.json)) }
    }
}

extension MemberDocument {
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init()
        var reader = DocumentReader(members: members)
        try self.members(&reader)
    }

    package var json: JSONValue {
        var (document, writer) = (self, DocumentWriter())
        document.members(&writer)
        return .object(JSONObject(writer.members))
    }
}

extension AgentDocument {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        try self.init(AgentMembers(json, path: path))
    }
}

extension String: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let text = json.string else { throw ShapeError(path: path, expected: "a string") }
        self = text
    }

    package var json: JSONValue { .string(self) }
}

extension Int64: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let integer = json.integer else { throw ShapeError(path: path, expected: "an integer") }
        self = integer
    }

    package var json: JSONValue { .integer(self) }
}

extension Bool: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let bool = json.bool else { throw ShapeError(path: path, expected: "true or false") }
        self = bool
    }

    package var json: JSONValue { .bool(self) }
}

/// A document of no form that is known here.
extension JSONValue: DocumentValue {
    package init(_ json: JSONValue, at path: String) { self = json }

    package var json: JSONValue { self }
}

extension Array: DocumentValue where Element: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let elements = json.array else { throw ShapeError(path: path, expected: "an array") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            append(try Element(element, at: "\(path)[\(index)]"))
        }
    }

    package var json: JSONValue { .array(map(\.json)) }
}

/// An object whose names are data.
extension Dictionary: DocumentValue where Key == String, Value: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let object = json.object else { throw ShapeError(path: path, expected: "an object") }
        self = [:]
        for (key, value) in object { self[key] = try Value(value, at: "\(path).\(key)") }
    }

    package var json: JSONValue { .object(JSONObject(mapValues(\.json))) }
}
