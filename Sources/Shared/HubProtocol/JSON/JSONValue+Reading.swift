import Base

/// A document whose shape is not that of the contract. Its sender has to correct it.
package struct ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member's path, for example `mutations[3].sequence`.
    package let path: String
    /// What was expected there, as text.
    package let expected: String

    /// Makes an error; `expected` follows "must be", for example `a string`.
    package init(path: String, expected: String) {
        self.path = path
        self.expected = expected
    }

    /// Text for a person, for example `` `sequence` must be an integer ``.
    package var description: String { "`\(path)` must be \(expected)" }
}

extension JSONValue {
    package func requiredString(_ key: String) throws(ShapeError) -> String {
        guard let value = self[key]?.string else { throw ShapeError(path: key, expected: "a string") }
        return value
    }

    /// Integers that every JSON reader can hold (RFC 7493, section 2.2).
    package static let exactIntegers: ClosedRange<Int64> = -(1 << 53 - 1)...(1 << 53 - 1)

    /// The integer member `key` within `range`.
    package func requiredInteger(
        _ key: String, in range: ClosedRange<Int64> = JSONValue.exactIntegers
    ) throws(ShapeError) -> Int64 {
        guard let value = self[key]?.integer, range.contains(value) else {
            throw ShapeError(path: key, expected: Self.expectation(of: range))
        }
        return value
    }

    /// What a member must be that counts within `range`.
    static func expectation(of range: ClosedRange<Int64>) -> String {
        range == exactIntegers ? "an integer" : "an integer from \(range.lowerBound) to \(range.upperBound)"
    }

    /// The string member `key`; nil when it is missing or null.
    package func optionalString(_ key: String) throws(ShapeError) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string else { throw ShapeError(path: key, expected: "a string or null") }
        return text
    }

    /// The integer member `key` within `range`; nil when it is missing or null.
    package func optionalInteger(
        _ key: String, in range: ClosedRange<Int64>
    ) throws(ShapeError) -> Int64? {
        guard self[key] != nil else { return nil }
        return try requiredInteger(key, in: range)
    }

    /// The moment of the RFC 3339 member `key`, in milliseconds since 1970; nil when it is missing or null.
    package func optionalMoment(_ key: String) throws(ShapeError) -> Int64? {
        guard let text = try optionalString(key) else { return nil }
        guard let moment = Timestamp.milliseconds(of: text) else {
            throw ShapeError(path: key, expected: "a moment of RFC 3339 or null")
        }
        return moment
    }

    package func requiredArray(_ key: String) throws(ShapeError) -> [JSONValue] {
        guard let value = self[key]?.array else { throw ShapeError(path: key, expected: "an array") }
        return value
    }

    package func requiredObject(_ key: String) throws(ShapeError) -> JSONValue {
        guard let value = self[key], value.object != nil else {
            throw ShapeError(path: key, expected: "an object")
        }
        return value
    }

    /// The array of strings `key`; empty when it is missing.
    package func strings(_ key: String) throws(ShapeError) -> [String] {
        guard let member = self[key] else { return [] }
        guard let elements = member.array else {
            throw ShapeError(path: key, expected: "an array of strings")
        }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else {
                throw ShapeError(path: key, expected: "an array of strings")
            }
            strings.append(string)
        }
        return strings
    }
}
