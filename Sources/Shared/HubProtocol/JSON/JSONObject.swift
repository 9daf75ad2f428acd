/// The members of a JSON object, each key once, in the order that the canonical form writes them (RFC 8785).
///
/// An array and no dictionary: the objects of the contract have a dozen members, they are read in that order
/// and written in it, and nothing has to be hashed on the way.
package struct JSONObject: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        let key: String
        var value: JSONValue
    }

    private(set) var members: [Member]

    /// Makes an object without members: `{}`.
    package init() {
        members = []
    }

    /// Of members that share a key, the last stays.
    package init(_ members: some Sequence<(String, JSONValue)>) {
        self.init(unordered: members.map(Member.init(key:value:)))
    }

    /// Sorts the members once, in O(n log n).
    package init(_ dictionary: [String: JSONValue]) {
        self.init(unordered: dictionary.map { Member(key: $0.key, value: $0.value) })
    }

    /// - Precondition: `members` are in canonical order, each key once.
    init(ordered members: [Member]) {
        self.members = members
    }

    private init(unordered: [Member]) {
        guard !Self.isOrdered(unordered) else {
            members = unordered
            return
        }
        members = []
        members.reserveCapacity(unordered.count)
        // Sorting keeps the order of equals, so the last of them is valid.
        for member in unordered.sorted(by: { CanonicalText.precedes($0.key, $1.key) }) {
            if let last = members.last, CanonicalText.isSame(last.key, member.key) { members.removeLast() }
            members.append(member)
        }
    }

    private static func isOrdered(_ members: [Member]) -> Bool {
        members.indices.dropFirst().allSatisfy {
            CanonicalText.precedes(members[$0 - 1].key, members[$0].key)
        }
    }

    /// The member `key`, `null` included; setting nil takes it away.
    package subscript(key: String) -> JSONValue? {
        get { index(of: key).map { members[$0].value } }
        set {
            if let index = index(of: key) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                let place = place(of: key)
                members.insert(Member(key: key, value: newValue), at: place)
            }
        }
    }

    /// Up to this many members are looked through one by one.
    private static let fewMembers = 24

    private func index(of key: String) -> Int? {
        guard members.count > Self.fewMembers else {
            let length = key.utf8.count
            return members.firstIndex { $0.key.utf8.count == length && CanonicalText.isSame($0.key, key) }
        }
        let place = place(of: key)
        return place < members.count && CanonicalText.isSame(members[place].key, key) ? place : nil
    }

    /// Where `key` stands, or would.
    private func place(of key: String) -> Int {
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if CanonicalText.precedes(members[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension JSONObject: RandomAccessCollection {
    /// Always 0.
    package var startIndex: Int { members.startIndex }
    /// The number of members.
    package var endIndex: Int { members.endIndex }
    /// The member at `position` in canonical order, in constant time.
    package subscript(position: Int) -> (key: String, value: JSONValue) {
        (members[position].key, members[position].value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members may be in any order; of those that share a key, the last stays.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension JSONObject {
    /// In canonical order.
    package var keys: [String] { members.map(\.key) }
    /// In the order of ``keys``, `null` included.
    package var values: [JSONValue] { members.map(\.value) }

    /// The members that `isWanted`.
    package func filter(_ isWanted: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(ordered: try members.filter { try isWanted(($0.key, $0.value)) })
    }

    /// What `transform` makes of each value, by their keys.
    package func mapValues<Value>(_ transform: (JSONValue) throws -> Value) rethrows -> [String: Value] {
        try compactMapValues { try transform($0) }
    }

    /// The values that `transform` makes something of, by their keys.
    package func compactMapValues<Value>(_ transform: (JSONValue) throws -> Value?) rethrows -> [String:
        Value]
    {
        var values: [String: Value] = [:]
        for member in members { values[member.key] = try transform(member.value) }
        return values
    }

    /// These members and those of `other`; where both have one, the value is `choice` of the two.
    package func merging(
        _ other: JSONObject, uniquingKeysWith choice: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows -> JSONObject {
        var merged = self
        for member in other {
            merged[member.key] = try merged[member.key].map { try choice($0, member.value) } ?? member.value
        }
        return merged
    }
}
