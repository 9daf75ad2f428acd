/// A JSON document as it was received: unknown fields stay, nothing is guessed.
///
/// Objects keep their members in canonical order and no duplicates (``JSONObject``); ``JSONParser`` refuses a
/// document with a repeated key, because two parsers that disagree about it could be played against each
/// other.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string; nil for every other kind.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The number of an integer; nil for every other kind, ``double(_:)`` included.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The value of `true` or `false`; nil for every other kind.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array; nil for every other kind.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object, `null` included; nil for every other kind.
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member `key` of an object; nil for a missing member, for `null` and for anything but an object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        switch members[key] {
        case nil, .null: return nil
        case let member: return member
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string literal is a JSON string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// An integer literal is a JSON number.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// `true` or `false`.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// The literal `nil` is JSON `null`, not a missing member.
    package init(nilLiteral: ()) { self = .null }
    /// An array literal is a JSON array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// A dictionary literal is a JSON object; of members that share a key, the last stays.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }

    /// An optional string as a JSON string or `null`.
    package init(_ value: String?) { self = value.map(JSONValue.string) ?? .null }
    /// An optional integer as a JSON number or `null`.
    package init(_ value: Int64?) { self = value.map(JSONValue.integer) ?? .null }
}
