import Base

/// Writes a fact in its canonical form (RFC 8785).
package struct FactWriter: FactMembers {
    package typealias Failure = Never

    /// Of a group.
    private var key: StaticString = ""
    private var own: CanonicalObject
    private var included: [CanonicalObject] = []

    /// What was written.
    package var object: CanonicalObject {
        included.isEmpty ? own : CanonicalObject(merging: [own] + included)
    }

    init(capacity: Int) {
        own = CanonicalObject(capacity: capacity)
    }

    /// What there is not is left out, or null.
    private mutating func miss(_ key: StaticString, _ demand: Demand) {
        if demand.isNull { own.add(key, nil) }
    }

    package mutating func text(_ key: StaticString, _ value: inout String?, _ demand: Demand) {
        if let value { own.add(key, value) } else { miss(key, demand) }
    }

    package mutating func number(
        _ key: StaticString, _ value: inout Int64?, _ demand: Demand, in range: ClosedRange<Int64>
    ) {
        if let value { own.add(key, value) } else { miss(key, demand) }
    }

    package mutating func flag(_ key: StaticString, _ value: inout Bool?, _ demand: Demand) {
        if let value { own.add(key, value) } else { miss(key, demand) }
    }

    package mutating func word<Word: RawRepresentable<String>>(
        _ key: StaticString, _ value: inout Word?, _ demand: Demand, of words: StaticString
    ) {
        if let value { own.add(key, value.rawValue) } else { miss(key, demand) }
    }

    package mutating func moment(_ key: StaticString, _ value: inout Int64?, _ demand: Demand) {
        if let value { own.add(key, Timestamp.text(milliseconds: value)) } else { miss(key, demand) }
    }

    package mutating func texts(_ key: StaticString, _ values: inout [String], _ demand: Demand) {
        own.add(key, values)
    }

    package mutating func document(_ key: StaticString, _ value: inout JSONValue?) {
        if let value { own.addRaw(key, value.canonicalBytes) }
    }

    package mutating func part<Part: Fact>(_ key: StaticString, _ part: inout Part?, _ demand: Demand) {
        if let part { own.add(key, part.canonical) } else { miss(key, demand) }
    }

    package mutating func list<Part: Fact>(_ key: StaticString, _ parts: inout [Part]?, _ demand: Demand) {
        if let parts { own.add(key, parts.map(\.canonical)) }
    }

    package mutating func group(_ key: StaticString, _ demand: Demand) -> FactWriter? {
        var group = FactWriter(capacity: 64)
        group.key = key
        return group
    }

    package mutating func end(_ group: FactWriter) { own.add(group.key, group.object) }

    package mutating func include<Part: Fact>(_ part: inout Part) { included.append(part.canonical) }

    package mutating func check(
        _ isRight: @autoclosure () -> Bool, _ key: StaticString, _ expected: @autoclosure () -> String
    ) {}

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
