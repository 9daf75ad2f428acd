internal import HubProtocol

/// The members of one object of a request, read with refusals that name their path.
struct RequestMembers {
    /// The kind of request, for the text of a refusal.
    enum Subject: String {
        case sale = "a sale"
        case refund = "a refund"
        /// Every other request.
        case request = "a request"

        fileprivate var consequence: String {
            switch self {
            case .sale: "nothing was sold"
            case .refund: "nothing was refunded"
            case .request: "nothing was done"
            }
        }
    }

    private let members: JSONObject
    private let path: String
    private let isObject: Bool
    private let subject: Subject

    /// - Parameter path: where `json` stands in the request, for refusals; empty, or with a point at its end.
    init(_ json: JSONValue, path: String = "", of subject: Subject) {
        members = json.object ?? [:]
        isObject = json.object != nil
        self.path = path
        self.subject = subject
    }

    func refuseUnknown(_ known: Set<String>) throws(RequestRefusal) {
        guard isObject else {
            throw refusal(of: path.isEmpty ? "the request" : String(path.dropLast()), "an object")
        }
        guard let unknown = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw RequestRefusal(
            kind: .unknownField,
            message: "\(path)\(unknown) is not a field of \(subject.rawValue); known are "
                + known.sorted().joined(separator: ", "))
    }

    /// In bytes: what a receipt and a list of the hub still show.
    static let longestText = TextBound.entered

    /// Refuses texts of people that go into the journal as they are, and do not fit into a line.
    func refuseLong(_ texts: [(name: String, text: String?)]) throws(RequestRefusal) {
        for case (let name, let text?) in texts where text.utf8.count > Self.longestText {
            throw malformed(name, "at most \(Self.longestText) bytes long")
        }
    }

    func text(_ name: String) throws(RequestRefusal) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.string else { throw malformed(name, "a string") }
        return text
    }

    func integer(_ name: String) throws(RequestRefusal) -> Int64? {
        guard let value = present(name) else { return nil }
        guard let integer = value.integer else { throw malformed(name, "an integer") }
        return integer
    }

    func list(_ name: String) throws(RequestRefusal) -> [JSONValue]? {
        guard let value = present(name) else { return nil }
        guard let list = value.array else { throw malformed(name, "an array") }
        return list
    }

    func object(_ name: String) throws(RequestRefusal) -> JSONObject? {
        guard let value = present(name) else { return nil }
        guard let object = value.object else { throw malformed(name, "an object") }
        return object
    }

    func texts(_ name: String) throws(RequestRefusal) -> [String] {
        var texts: [String] = []
        for element in try list(name) ?? [] {
            guard let text = element.string else { throw malformed(name, "an array of strings") }
            texts.append(text)
        }
        return texts
    }

    func malformed(_ name: String, _ expected: String) -> RequestRefusal {
        refusal(of: path + name, expected)
    }

    private func refusal(of place: String, _ expected: String) -> RequestRefusal {
        RequestRefusal(
            kind: .malformed, message: "\(place) must be \(expected); \(subject.consequence)")
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }
}
