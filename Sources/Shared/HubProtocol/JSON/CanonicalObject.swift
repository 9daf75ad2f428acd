/// Writes a JSON object in its canonical form (RFC 8785) straight into bytes, for documents that are written
/// often: no tree is built and no keys are sorted, so members have to be added in the order of their keys.
package struct CanonicalObject: Sendable {
    private var output: [UInt8] = [UInt8(ascii: "{")]
    private var lastKey: StaticString?

    /// - Parameter capacity: the bytes to make room for; more is possible.
    package init(capacity: Int = 256) {
        output.reserveCapacity(capacity)
    }

    /// The members of all `objects`; of members that share a key, the last stays.
    init(merging objects: [CanonicalObject]) {
        let members = objects.flatMap { object in
            (try? JSONParser.parse(object.bytes))?.object.map(Array.init) ?? []
        }
        output = JSONValue.object(JSONObject(members.map { ($0.key, $0.value) })).canonicalBytes.dropLast()
    }

    /// The object as far as it was written, closed.
    package var bytes: [UInt8] {
        var closed = output
        closed.append(UInt8(ascii: "}"))
        return closed
    }

    /// The bytes written up to now.
    var count: Int { output.count }

    /// Adds a string member, with the shortest escapes. `key` sorts after every key before it and needs no
    /// escape.
    package mutating func add(_ key: StaticString, _ text: String) {
        addKey(key)
        CanonicalText.write(text, to: &output)
    }

    /// Nil is written as `null`.
    package mutating func add(_ key: StaticString, _ text: String?) {
        guard let text else { return addToken(key, "null") }
        add(key, text)
    }

    /// - Precondition: `number` is below 2⁵³ in size, as canonical numbers are.
    package mutating func add(_ key: StaticString, _ number: Int64) {
        precondition(number.magnitude < 1 << 53, "a canonical number is below 2^53")
        addKey(key)
        output.append(contentsOf: String(number).utf8)
    }

    /// Adds `true` or `false`.
    package mutating func add(_ key: StaticString, _ isTrue: Bool) {
        addToken(key, isTrue ? "true" : "false")
    }

    /// Adds an array of strings in the given order; an empty one is `[]`.
    package mutating func add(_ key: StaticString, _ texts: [String]) {
        addArray(key, texts) { text, output in CanonicalText.write(text, to: &output) }
    }

    /// Adds an array of objects in the given order; each is closed here.
    package mutating func add(_ key: StaticString, _ objects: [CanonicalObject]) {
        addArray(key, objects) { object, output in
            output.append(contentsOf: object.output)
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Adds an object; it is closed here.
    package mutating func add(_ key: StaticString, _ object: CanonicalObject) {
        addRaw(key, object.bytes)
    }

    /// Adds a value that is canonical JSON already.
    package mutating func addRaw(_ key: StaticString, _ value: [UInt8]) {
        addKey(key)
        output.append(contentsOf: value)
    }

    private mutating func addToken(_ key: StaticString, _ token: StaticString) {
        addKey(key)
        token.withUTF8Buffer { output.append(contentsOf: $0) }
    }

    private mutating func addArray<Element>(
        _ key: StaticString, _ elements: [Element], _ write: (Element, inout [UInt8]) -> Void
    ) {
        addKey(key)
        output.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(element, &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private mutating func addKey(_ key: StaticString) {
        assert(
            lastKey.map { CanonicalText.precedes($0.description, key.description) } ?? true,
            "the members of a canonical object are added in order")
        if lastKey != nil { output.append(UInt8(ascii: ",")) }
        lastKey = key
        output.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { output.append(contentsOf: $0) }
        output.append(UInt8(ascii: "\""))
        output.append(UInt8(ascii: ":"))
    }
}
