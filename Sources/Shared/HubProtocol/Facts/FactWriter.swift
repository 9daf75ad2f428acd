import Base

/// Writes a fact in its canonical form (RFC 8785).
package struct FactWriter: FactMembers {
    package typealias Failure = Never

    package private(set) var object: CanonicalObject

    init(capacity: Int) {
        object = CanonicalObject(capacity: capacity)
    }

    package mutating func text(
        _ key: StaticString, _ value: inout String?, _ demand: Demand, isNull: Bool
    ) {
        if isNull || value != nil { object.add(key, value) }
    }

    package mutating func number(
        _ key: StaticString, _ value: inout Int64?, _ demand: Demand, in range: ClosedRange<Int64>
    ) {
        if let value { object.add(key, value) }
    }

    package mutating func flag(_ key: StaticString, _ value: inout Bool?, _ demand: Demand) {
        if let value { object.add(key, value) }
    }

    package mutating func word<Word: RawRepresentable<String>>(
        _ key: StaticString, _ value: inout Word?, _ demand: Demand, of words: StaticString
    ) {
        if let value { object.add(key, value.rawValue) }
    }

    package mutating func moment(_ key: StaticString, _ value: inout Int64?, _ demand: Demand) {
        if let value { object.add(key, Timestamp.text(milliseconds: value)) }
    }

    package mutating func texts(_ key: StaticString, _ values: inout [String], _ demand: Demand) {
        object.add(key, values)
    }

    package mutating func part<Part: Fact>(_ key: StaticString, _ part: inout Part?, _ demand: Demand) {
        if let part { object.add(key, part.canonical) }
    }

    package mutating func list<Part: Fact>(_ key: StaticString, _ parts: inout [Part]?, _ demand: Demand) {
        if let parts { object.add(key, parts.map(\.canonical)) }
    }

    package mutating func note(_ isUnread: inout Bool) {}
}

extension Fact {
    /// The fact as it is written. A sale's is specialised, since each sale at the till waits for it.
    package var canonical: CanonicalObject {
        @_specialize(where Self == CompletedOrder)
        get {
            var (fact, writer) = (self, FactWriter(capacity: 256))
            fact.members(&writer)
            return writer.object
        }
    }

    /// The same as a document.
    package var json: JSONValue { (try? JSONParser.parse(canonical.bytes)) ?? .null }
}
