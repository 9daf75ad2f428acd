/// A business fact as it leaves a process, or a part of one: what a till writes into its journal and the hub
/// and the till itself read again. Requests and responses whose members are declared alike are facts too.
///
/// ``members(_:)`` is the one place that names the members of the payload. It is run in both directions: with
/// a ``FactWriter`` it makes the canonical bytes, with a ``FactReader`` it fills the values.
package protocol Fact: Hashable, Sendable {
    /// Without any member.
    init()

    /// Visits each member once, in the order of the canonical form: the writer adds them as they come, the
    /// reader looks through the document once.
    mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure)
}

/// What becomes of a fact of which a member is missing or cannot be read.
///
/// A sale has happened: at the hub few members are required to accept it. A till requires all that it writes,
/// since it reads its own journal and what a person edited of it.
package struct Demand: Sendable {
    enum Rule {
        /// There is no fact without it.
        case required
        /// There is no fact with one that cannot be read.
        case valid
        /// One that cannot be read is missing, and that is noted (``FactMembers/note(_:)``).
        case noted
        /// One that cannot be read is missing.
        case ignored
    }

    let own: Rule
    let received: Rule
    /// Whether a missing one is written as `null`.
    var isNull = false

    /// The same, and a missing one is written as `null`.
    package var orNull: Demand { Demand(own: own, received: received, isNull: true) }

    /// There is no fact without it.
    package static let required = Demand(own: .required, received: .required)
    /// A till requires it. At the hub it may be missing, and there is no fact with one that cannot be read.
    package static let stated = Demand(own: .required, received: .valid)
    /// A till requires it. The hub takes one that cannot be read for missing.
    package static let expected = Demand(own: .required, received: .ignored)
    /// It may be missing. A till refuses one that cannot be read, the hub takes it for missing.
    package static let checked = Demand(own: .valid, received: .ignored)
    /// The same, and the hub notes that something could not be read.
    package static let noted = Demand(own: .valid, received: .noted)
    /// It may be missing. There is no fact with one that cannot be read.
    package static let valid = Demand(own: .valid, received: .valid)
    /// One that cannot be read is missing, for everybody.
    package static let optional = Demand(own: .ignored, received: .ignored)
}

/// One direction in which a fact's members are visited.
package protocol FactMembers {
    /// `Never` for the writer.
    associatedtype Failure: Error

    mutating func text(_ key: StaticString, _ value: inout String?, _ demand: Demand) throws(Failure)
    /// Minor units, thousandths or whatever the member counts.
    mutating func number(
        _ key: StaticString, _ value: inout Int64?, _ demand: Demand, in range: ClosedRange<Int64>
    ) throws(Failure)
    mutating func flag(_ key: StaticString, _ value: inout Bool?, _ demand: Demand) throws(Failure)
    /// One of a few words.
    mutating func word<Word: RawRepresentable<String>>(
        _ key: StaticString, _ value: inout Word?, _ demand: Demand, of words: StaticString
    ) throws(Failure)
    /// Milliseconds since 1970, written as RFC 3339.
    mutating func moment(_ key: StaticString, _ value: inout Int64?, _ demand: Demand) throws(Failure)
    /// An array of texts; it may be missing, and is written also when it is empty.
    mutating func texts(_ key: StaticString, _ values: inout [String], _ demand: Demand) throws(Failure)
    /// A document of another form; one that is missing or null is nil.
    mutating func document(_ key: StaticString, _ value: inout JSONValue?) throws(Failure)
    mutating func part<Part: Fact>(
        _ key: StaticString, _ part: inout Part?, _ demand: Demand
    ) throws(Failure)
    /// Nil: there is no array, and none is written.
    mutating func list<Part: Fact>(
        _ key: StaticString, _ parts: inout [Part]?, _ demand: Demand
    ) throws(Failure)
    /// Visits the members of an object that are this fact's, up to ``end(_:)``; nil: it is missing. It is
    /// always written.
    mutating func group(_ key: StaticString, _ demand: Demand) throws(Failure) -> Self?
    mutating func end(_ group: Self)
    /// The members of another fact stand among this one's.
    mutating func include<Part: Fact>(_ part: inout Part) throws(Failure)
    /// There is no fact unless `isRight`, which is not looked at where one is written or shown. It is no
    /// member itself.
    mutating func check(
        _ isRight: @autoclosure () -> Bool, _ key: StaticString, _ expected: @autoclosure () -> String
    ) throws(Failure)
    /// Whether a member before this call, or a member of one, is ``Demand/noted`` and could not be read. It
    /// is no member itself.
    mutating func note(_ isUnread: inout Bool) throws(Failure)
}

/// Members that always have a value: one that is missing or cannot be read is the one before, unless there is
/// no fact without it.
extension FactMembers {
    package mutating func text(
        _ key: StaticString, _ value: inout String, _ demand: Demand = .required
    ) throws(Failure) {
        var text: String? = value
        try self.text(key, &text, demand)
        if let text { value = text }
    }

    /// A text of 1 to `most` bytes: by it something is looked up.
    package mutating func text(
        _ key: StaticString, _ value: inout String, upTo most: Int
    ) throws(Failure) {
        try text(key, &value)
        try check((1...most).contains(value.utf8.count), key, "1 to \(most) bytes")
    }

    /// An id, or another word that a screen or a log may show: 1 to ``TextBound/name`` printable bytes.
    package mutating func name(_ key: StaticString, _ value: inout String) throws(Failure) {
        try text(key, &value, upTo: TextBound.name)
        try check(value == value.printable, key, "printable")
    }

    /// The same, where it may be missing.
    package mutating func name(_ key: StaticString, _ value: inout String?) throws(Failure) {
        try text(key, &value, .valid)
        guard let value else { return }
        let isName = (1...TextBound.name).contains(value.utf8.count) && value == value.printable
        try check(isName, key, "1 to \(TextBound.name) printable bytes")
    }

    package mutating func number(
        _ key: StaticString, _ value: inout Int64, _ demand: Demand = .required,
        in range: ClosedRange<Int64> = JSONValue.exactIntegers
    ) throws(Failure) {
        var number: Int64? = value
        try self.number(key, &number, demand, in: range)
        if let number { value = number }
    }

    package mutating func word<Word: RawRepresentable<String>>(
        _ key: StaticString, _ value: inout Word, of words: StaticString
    ) throws(Failure) {
        var word: Word? = value
        try self.word(key, &word, .required, of: words)
        if let word { value = word }
    }

    package mutating func moment(_ key: StaticString, _ value: inout Int64) throws(Failure) {
        var moment: Int64? = value
        try self.moment(key, &moment, .required)
        if let moment { value = moment }
    }

    /// A flag that is written only where it is true, and is false where it is anything else.
    package mutating func mark(_ key: StaticString, _ value: inout Bool) throws(Failure) {
        var flag: Bool? = value ? true : nil
        try self.flag(key, &flag, .optional)
        value = flag ?? false
    }

    package mutating func part<Part: Fact>(_ key: StaticString, _ part: inout Part) throws(Failure) {
        var value: Part? = part
        try self.part(key, &value, .required)
        if let value { part = value }
    }

    package mutating func list<Part: Fact>(
        _ key: StaticString, _ parts: inout [Part], _ demand: Demand = .required
    ) throws(Failure) {
        var list: [Part]? = parts
        try self.list(key, &list, demand)
        if let list { parts = list }
    }
}

extension FactMembers {
    /// An array of texts that is written only where there is one. What is no array of texts is missing.
    package mutating func texts(_ key: StaticString, _ values: inout [String]?) throws(Failure) {
        var document = values.map { JSONValue.array($0.map(JSONValue.string)) }
        try self.document(key, &document)
        let read = document?.array?.map(\.string)
        values = read.flatMap { texts in texts.allSatisfy { $0 != nil } ? texts.compactMap(\.self) : nil }
    }

    package mutating func number(
        _ key: StaticString, _ value: inout Int64?, _ demand: Demand
    ) throws(Failure) {
        try number(key, &value, demand, in: JSONValue.exactIntegers)
    }
}
