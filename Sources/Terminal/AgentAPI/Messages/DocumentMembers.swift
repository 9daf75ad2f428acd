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
    /// The members that follow, until ``end()``, are those of the object `key`.
    mutating func begin(_ key: String) throws(Failure)
    mutating func end()
    /// Members beside the others that are all left out where `part` is nil.
    ///
    /// - Parameters:
    ///   - key: of a member of the part: where it is missing or null, `part` is nil.
    ///   - isRequired: whether `part` is read all the same, so that the error names what is missing.
    mutating func part<Part: MemberDocument>(
        _ key: String, _ part: inout Part?, isRequired: Bool
    ) throws(Failure)
    /// Members beside the others which another module names.
    ///
    /// - Parameters:
    ///   - written: these members.
    ///   - read: reads them out of the document.
    mutating func others(
        _ written: JSONObject, _ read: (JSONValue) throws(ShapeError) -> Void
    ) throws(Failure)
}

extension DocumentMembers {
    /// A member that is left out where it is `absent`, and is that where it is missing.
    package mutating func optional<Value: DocumentValue>(
        _ key: String, _ value: inout Value, absent: Value
    ) throws(Failure) {
        var present = value == absent ? nil : value
        try optional(key, &present)
        value = present ?? absent
    }

    /// A member that is always written, and is `missing` where it is missing or null.
    package mutating func callAsFunction<Value: DocumentValue>(
        _ key: String, _ value: inout Value, missing: Value
    ) throws(Failure) {
        var present: Value? = value
        try optional(key, &present)
        value = present ?? missing
    }

    /// An object of members that has no type of its own.
    package mutating func object(
        _ key: String, _ members: (inout Self) throws(Failure) -> Void
    ) throws(Failure) {
        try begin(key)
        try members(&self)
        end()
    }

    package mutating func part<Part: MemberDocument>(
        _ key: String, _ part: inout Part?
    ) throws(Failure) {
        try self.part(key, &part, isRequired: false)
    }
}

private struct DocumentReader: DocumentMembers {
    typealias Failure = ShapeError

    var members: AgentMembers
    /// The objects around it, the outermost first.
    private var outer: [AgentMembers] = []

    init(_ members: AgentMembers) { self.members = members }

    func callAsFunction<Value: DocumentValue>(_ key: String, _ value: inout Value) throws(ShapeError) {
        value = try members.read(key)
    }

    func nullable<Value: DocumentValue>(_ key: String, _ value: inout Value?) throws(ShapeError) {
        value = try members.nullable(key)
    }

    func optional<Value: DocumentValue>(_ key: String, _ value: inout Value?) throws(ShapeError) {
        value = try members.optional(key)
    }

    mutating func begin(_ key: String) throws(ShapeError) {
        let inner = try members.members(key)
        outer.append(members)
        members = inner
    }

    mutating func end() { members = outer.removeLast() }

    mutating func part<Part: MemberDocument>(
        _ key: String, _ part: inout Part?, isRequired: Bool
    ) throws(ShapeError) {
        let present: JSONValue? = try members.optional(key)
        guard isRequired || present != nil else { return part = nil }
        var read = Part()
        try read.members(&self)
        part = read
    }

    func others(
        _ written: JSONObject, _ read: (JSONValue) throws(ShapeError) -> Void
    ) throws(ShapeError) {
        try members.others(read)
    }
}

private struct DocumentWriter: DocumentMembers {
    typealias Failure = Never

    var members: [(String, JSONValue)] = []
    /// The objects around it, the outermost first, each with the key of the one inside.
    private var outer: [(String, [(String, JSONValue)])] = []

    mutating func callAsFunction<Value: DocumentValue>(_ key: String, _ value: inout Value) {
        members.append((key, value.json))
    }

    mutating func nullable<Value: DocumentValue>(_ key: String, _ value: inout Value?) {
        members.append((key, value?.json ?? .null))
    }

    mutating func optional<Value: DocumentValue>(_ key: String, _ value: inout Value?) {
        if let value { members.append((key, value.json)) }
    }

    mutating func begin(_ key: String) {
        outer.append((key, members))
        members = []
    }

    mutating func end() {
        let (key, before) = outer.removeLast()
        members = before + [(key, .object(JSONObject(members)))]
    }

    mutating func part<Part: MemberDocument>(_ key: String, _ part: inout Part?, isRequired: Bool) {
        part?.members(&self)
    }

    mutating func others(_ written: JSONObject, _ read: (JSONValue) throws(ShapeError) -> Void) {
        members += written.map { ($0, $1) }
    }
}

extension MemberDocument {
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init()
        var reader = DocumentReader(members)
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

/// A type of another module, with its own reader.
protocol SharedValue: DocumentValue {
    init(json: JSONValue) throws(ShapeError)
}

extension SharedValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        self = try ShapeError.within(path + ".") { () throws(ShapeError) in try Self(json: json) }
    }
}

extension ReceiptSale.Refund: SharedValue {}
extension ShiftStatement: SharedValue {}
extension SalePoints: SharedValue {}
extension ReturnedPoints: SharedValue {}
extension ShiftSettlement.State: DocumentValue {}

/// A word of a few.
extension RawRepresentable<String> where Self: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let word = json.string.flatMap(Self.init(rawValue:)) else {
            throw ShapeError(path: path, expected: "a word that this version knows")
        }
        self = word
    }

    package var json: JSONValue { .string(rawValue) }
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

/// A name in an object whose names are data.
package protocol DocumentKey: Hashable, Sendable {
    init?(key: String)

    var key: String { get }
}

extension String: DocumentKey {
    package init(key: String) { self = key }

    package var key: String { self }
}

extension RawRepresentable<String> where Self: DocumentKey {
    package init?(key: String) { self.init(rawValue: key) }

    package var key: String { rawValue }
}

/// An object whose names are data.
extension Dictionary: DocumentValue where Key: DocumentKey, Value: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        guard let object = json.object else { throw ShapeError(path: path, expected: "an object") }
        self = [:]
        for (name, value) in object {
            let path = "\(path).\(name)"
            guard let key = Key(key: name) else {
                throw ShapeError(path: path, expected: "a name that this version knows")
            }
            self[key] = try Value(value, at: path)
        }
    }

    package var json: JSONValue { .object(JSONObject(map { ($0.key.key, $0.value.json) })) }
}
