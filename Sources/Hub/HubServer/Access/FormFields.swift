internal import HubProtocol

/// A body of `application/x-www-form-urlencoded` (URL Standard, section 5), or a query as a form sends it.
///
/// A value that is none of those that there are is refused: a list without the filter that was meant looks
/// like a response to it, and an override without its end lasts.
struct FormFields {
    /// As they were sent, one that stands twice included.
    let names: [String]
    private let values: [String: String]

    init(_ body: [UInt8]) {
        var fields: [(name: String, value: String)] = []
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1])
            else {
                continue
            }
            fields.append((name, value))
        }
        names = fields.map(\.name)
        values = Dictionary(fields.map { ($0.name, $0.value) }) { _, last in last }
    }

    subscript(name: String) -> String? { values[name] }

    /// Nil where the field is absent or empty.
    func filled(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// One of the values of a type; nil where the field is absent or empty.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of _: Value.Type = Value.self
    ) throws(Problem) -> Value? {
        let known = Value.allCases.map(\.rawValue)
        return try choice(name, known).flatMap(Value.init)
    }

    /// One of some values; nil where the field is absent or empty.
    func choice(_ name: String, _ known: [String]) throws(Problem) -> String? {
        guard let value = filled(name) else { return nil }
        guard known.contains(value) else { throw .unknownValue(of: name, known: known) }
        return value
    }

    /// A whole number; nil where the field is absent or empty.
    func number(_ name: String) throws(Problem) -> Int64? {
        guard let value = filled(name) else { return nil }
        guard let number = Int64(value) else {
            throw .malformed("\(name) is a whole number.", .noNumber(name))
        }
        return number
    }

    private static func decoded(_ text: Substring) -> String? {
        PercentText.decoded(String(text.map { $0 == "+" ? " " : $0 }))
    }
}

extension Problem {
    /// A value that is none of those that a parameter or field may have.
    static func unknownValue(of name: String, known: [String]) -> Problem {
        .malformed(
            "\(name) is one of \(known.joined(separator: ", ")).", .unknownValue(name, known: known))
    }
}
