internal import HubProtocol

/// The members of one object of a response. A missing member is an error that names its path, never a zero.
package struct AgentMembers {
    private let object: JSONObject
    private let path: String

    /// - Parameter path: where `json` stands in the response, for errors; empty for the response itself.
    init(_ json: JSONValue, path: String) throws(ShapeError) {
        guard let object = json.object else {
            throw ShapeError(path: path.isEmpty ? "the response" : path, expected: "an object")
        }
        self.object = object
        self.path = path.isEmpty ? "" : path + "."
    }

    /// The member `name`, null included.
    func value(_ name: String) throws(ShapeError) -> JSONValue {
        guard let value = object[name] else { throw malformed(name, "present") }
        return value
    }

    /// The member `name` as what it should be.
    func read<Value: DocumentValue>(_ name: String) throws(ShapeError) -> Value {
        try Value(value(name), at: path + name)
    }

    /// The members of the object `name`.
    func members(_ name: String) throws(ShapeError) -> AgentMembers {
        try AgentMembers(value(name), path: path + name)
    }

    /// A member that is there and may be null.
    func nullable<Value: DocumentValue>(_ name: String) throws(ShapeError) -> Value? {
        try value(name) == .null ? nil : try read(name)
    }

    /// A member that may be missing or null.
    func optional<Value: DocumentValue>(_ name: String) throws(ShapeError) -> Value? {
        object[name] == nil ? nil : try nullable(name)
    }

    /// Reads members that another module names.
    func others(_ read: (JSONValue) throws(ShapeError) -> Void) throws(ShapeError) {
        try ShapeError.within(path) { () throws(ShapeError) in try read(.object(object)) }
    }

    func malformed(_ name: String, _ expected: String) -> ShapeError {
        ShapeError(path: path + name, expected: expected)
    }
}

extension ShapeError {
    /// Runs `body`, whose errors begin at a member that stands behind `prefix`, which is empty or ends with a
    /// point.
    static func within<Value>(
        _ prefix: String, _ body: () throws(ShapeError) -> Value
    ) throws(ShapeError) -> Value {
        do throws(ShapeError) {
            return try body()
        } catch {
            throw ShapeError(path: prefix + error.path, expected: error.expected)
        }
    }
}
