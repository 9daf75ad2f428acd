import Base

/// Reads a fact out of a document, whose members it looks through once: both are in canonical order.
package struct FactReader: FactMembers {
    /// Who reads, which decides what a ``Demand`` means.
    package enum Reading {
        /// A till, what it wrote itself.
        case own
        /// The hub, what a till wrote.
        case received
        /// Whoever shows a document, whatever it is: nothing is required, and no number is out of range.
        case shown
    }

    package typealias Failure = ShapeError

    private let reading: Reading
    private let members: [JSONObject.Member]
    /// Before the keys of a group's members in errors.
    private var path = ""
    private var place = 0
    private var isUnread = false

    fileprivate init(_ document: JSONValue, _ reading: Reading) {
        self.reading = reading
        members = document.object?.members ?? []
    }

    /// Where the member `key` is, behind those before; nil where it is missing or null.
    private mutating func next(_ key: StaticString) -> Int? {
        while place < members.count {
            switch CanonicalText.order(of: members[place].key, beside: key) {
            case .before: place += 1
            case .behind: return nil
            case .same:
                place += 1
                if case .null = members[place - 1].value { return nil }
                return place - 1
            }
        }
        return nil
    }

    private func rule(_ demand: Demand) -> Demand.Rule {
        switch reading {
        case .own: demand.own
        case .received: demand.received
        case .shown: .ignored
        }
    }

    /// A member is not what it should be.
    private mutating func miss(
        _ key: StaticString, _ demand: Demand, _ found: Int?, _ expected: @autoclosure () -> String
    ) throws(ShapeError) {
        switch rule(demand) {
        case .ignored: break
        case .required: throw ShapeError(path: "\(path)\(key)", expected: expected())
        case .valid where found != nil: throw ShapeError(path: "\(path)\(key)", expected: expected())
        case .noted where found != nil: isUnread = true
        case .valid, .noted: break
        }
    }

    package mutating func text(
        _ key: StaticString, _ value: inout String?, _ demand: Demand
    ) throws(ShapeError) {
        let found = next(key)
        if let found, case .string(let text) = members[found].value {
            value = text
        } else {
            try miss(key, demand, found, demand.own == .required ? "a string" : "a string or null")
        }
    }

    package mutating func number(
        _ key: StaticString, _ value: inout Int64?, _ demand: Demand, in range: ClosedRange<Int64>
    ) throws(ShapeError) {
        let found = next(key)
        if let found, case .integer(let number) = members[found].value,
            reading == .shown || range.contains(number)
        {
            value = number
        } else {
            try miss(key, demand, found, JSONValue.expectation(of: range))
        }
    }

    package mutating func flag(
        _ key: StaticString, _ value: inout Bool?, _ demand: Demand
    ) throws(ShapeError) {
        let found = next(key)
        if let found, case .bool(let flag) = members[found].value {
            value = flag
        } else {
            try miss(key, demand, found, "true or false")
        }
    }

    package mutating func word<Word: RawRepresentable<String>>(
        _ key: StaticString, _ value: inout Word?, _ demand: Demand, of words: StaticString
    ) throws(ShapeError) {
        let found = next(key)
        value = found.flatMap { members[$0].value.string }.flatMap(Word.init(rawValue:))
        if value == nil { try miss(key, demand, found, words.description) }
    }

    package mutating func moment(
        _ key: StaticString, _ value: inout Int64?, _ demand: Demand
    ) throws(ShapeError) {
        let found = next(key)
        value = found.flatMap { members[$0].value.string }.flatMap(Timestamp.milliseconds(of:))
        guard value == nil else { return }
        try miss(
            key, demand, found, "a moment of RFC 3339" + (demand.own == .required ? "" : " or null"))
    }

    package mutating func texts(
        _ key: StaticString, _ values: inout [String], _ demand: Demand
    ) throws(ShapeError) {
        let found = next(key)
        let elements = found.flatMap { members[$0].value.array }
        values = elements?.compactMap(\.string) ?? []
        if values.count != elements?.count { try miss(key, demand, found, "an array of strings") }
    }

    package mutating func document(_ key: StaticString, _ value: inout JSONValue?) {
        value = next(key).map { members[$0].value }
    }

    package mutating func part<Part: Fact>(
        _ key: StaticString, _ part: inout Part?, _ demand: Demand
    ) throws(ShapeError) {
        guard let found = next(key) else { return try miss(key, demand, nil, "an object") }
        part = try read(members[found].value, at: nil, of: key, demand)
    }

    package mutating func list<Part: Fact>(
        _ key: StaticString, _ parts: inout [Part]?, _ demand: Demand
    ) throws(ShapeError) {
        let found = next(key)
        guard let found, case .array(let elements) = members[found].value else {
            return try miss(key, demand, found, "an array")
        }
        var read: [Part] = []
        read.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            // Without one of its elements a list means something else.
            guard let part: Part = try self.read(element, at: index, of: key, demand) else { return }
            read.append(part)
        }
        parts = read
    }

    /// A part of the document. What it requires is required of the fact, but for a part that is noted: that
    /// one is nil.
    private mutating func read<Part: Fact>(
        _ document: JSONValue, at index: Int?, of key: StaticString, _ demand: Demand
    ) throws(ShapeError) -> Part? {
        var (part, reader) = (Part(), FactReader(document, reading))
        do throws(ShapeError) {
            try part.members(&reader)
        } catch {
            guard rule(demand) == .noted else {
                let place = index.map { "\(key)[\($0)]" } ?? key.description
                throw ShapeError(path: "\(path)\(place).\(error.path)", expected: error.expected)
            }
            isUnread = true
            return nil
        }
        isUnread = isUnread || reader.isUnread
        return part
    }

    package mutating func group(_ key: StaticString, _ demand: Demand) throws(ShapeError) -> FactReader? {
        let found = next(key)
        guard let found, members[found].value.object != nil else {
            try miss(key, demand, found, "an object")
            return nil
        }
        var group = FactReader(members[found].value, reading)
        group.path = "\(path)\(key)."
        return group
    }

    package mutating func end(_ group: FactReader) { isUnread = isUnread || group.isUnread }

    package mutating func include<Part: Fact>(_ part: inout Part) throws(ShapeError) {
        var reader = self
        reader.place = 0
        try part.members(&reader)
        isUnread = isUnread || reader.isUnread
    }

    package mutating func check(
        _ isRight: @autoclosure () -> Bool, _ key: StaticString, _ expected: @autoclosure () -> String
    ) throws(ShapeError) {
        guard reading == .shown || isRight() else {
            throw ShapeError(path: "\(path)\(key)", expected: expected())
        }
    }

    package mutating func note(_ isUnread: inout Bool) {
        isUnread = self.isUnread
    }
}

extension Fact {
    /// Reads a document.
    ///
    /// Other modules see no body to specialise: without these every member of what the intake reads most
    /// would cost calls through tables, a fifth of the intake's work before its transaction.
    ///
    /// - Throws: what is wrong, with the path of the member.
    @_specialize(where Self == CompletedOrder)
    @_specialize(where Self == CompletedRefund)
    @_specialize(where Self == VoidedOrder)
    @_specialize(where Self == EntryMembers)
    package init(_ document: JSONValue, _ reading: FactReader.Reading) throws(ShapeError) {
        self.init()
        var reader = FactReader(document, reading)
        try members(&reader)
    }

    /// Reads a document as the hub does.
    package init(json: JSONValue) throws(ShapeError) { try self.init(json, .received) }

    /// As much of a document as can be read; nil: nothing.
    package init(shown document: JSONValue?) {
        do throws(ShapeError) {
            try self.init(document ?? .null, .shown)
        } catch {
            self.init()
        }
    }
}
