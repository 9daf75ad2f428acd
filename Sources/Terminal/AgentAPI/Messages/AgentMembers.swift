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

    /// The object itself.
    var whole: JSONValue { .object(object) }

    /// The names of all members, in canonical order.
    var names: [String] { object.keys }

    /// The member `name`, null included.
    func value(_ name: String) throws(ShapeError) -> JSONValue {
        guard let value = object[name] else { throw malformed(name, "present") }
        return value
    }

    func string(_ name: String) throws(ShapeError) -> String {
        guard let text = try value(name).string else { throw malformed(name, "a string") }
        return text
    }

    func integer(_ name: String) throws(ShapeError) -> Int64 {
        guard let integer = try value(name).integer else { throw malformed(name, "an integer") }
        return integer
    }

    func bool(_ name: String) throws(ShapeError) -> Bool {
        guard let bool = try value(name).bool else { throw malformed(name, "true or false") }
        return bool
    }

    func strings(_ name: String) throws(ShapeError) -> [String] {
        var texts: [String] = []
        for element in try array(name) {
            guard let text = element.string else { throw malformed(name, "an array of strings") }
            texts.append(text)
        }
        return texts
    }

    func document<Document: AgentDocument>(_ name: String) throws(ShapeError) -> Document {
        try Document(AgentMembers(value(name), path: path + name))
    }

    func documents<Document: AgentDocument>(_ name: String) throws(ShapeError) -> [Document] {
        var documents: [Document] = []
        for (index, element) in try array(name).enumerated() {
            documents.append(try Document(AgentMembers(element, path: "\(path)\(name)[\(index)]")))
        }
        return documents
    }

    /// The documents of an object whose names are data.
    func dictionary<Document: AgentDocument>(_ name: String) throws(ShapeError) -> [String: Document] {
        let members = try members(name)
        var documents: [String: Document] = [:]
        for name in members.names { documents[name] = try members.document(name) }
        return documents
    }

    /// The members of the object `name`.
    func members(_ name: String) throws(ShapeError) -> AgentMembers {
        try AgentMembers(value(name), path: path + name)
    }

    /// A member that is there and may be null.
    func nullable<Value>(
        _ name: String, _ read: (String) throws(ShapeError) -> Value
    ) throws(ShapeError) -> Value? {
        try value(name) == .null ? nil : try read(name)
    }

    /// A member that may be missing or null.
    func optional<Value>(
        _ name: String, _ read: (String) throws(ShapeError) -> Value
    ) throws(ShapeError) -> Value? {
        guard let value = object[name], value != .null else { return nil }
        return try read(name)
    }

    /// The member `points`, which may be missing.
    func points<Value>(
        _ read: (JSONValue) throws(ShapeError) -> Value
    ) throws(ShapeError) -> Value? {
        try optional("points") { (name: String) throws(ShapeError) in
            do throws(ShapeError) {
                return try read(try value(name))
            } catch {
                throw malformed("\(name).\(error.path)", error.expected)
            }
        }
    }

    private func array(_ name: String) throws(ShapeError) -> [JSONValue] {
        guard let array = try value(name).array else { throw malformed(name, "an array") }
        return array
    }

    /// Where the member `name` stands in the whole document.
    func place(of name: String) -> String { path + name }

    func malformed(_ name: String, _ expected: String) -> ShapeError {
        ShapeError(path: path + name, expected: expected)
    }
}

extension JSONValue {
    /// The documents as an array.
    init(documents: [some AgentDocument]) {
        self = .array(documents.map(\.json))
    }

    init(strings: [String]) {
        self = .array(strings.map(JSONValue.string))
    }
}
