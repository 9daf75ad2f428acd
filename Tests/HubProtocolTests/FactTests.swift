import Testing

@testable import HubProtocol

@Suite("Facts")
struct FactTests {
    /// A fact with a member of each demand.
    private struct Sample: Fact {
        struct Part: Fact {
            var count: Int64 = 0
            init() {}
            mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
                try m.number("count", &count, in: 1...9)
            }
        }

        var checked: String?
        var expected: Int64?
        var noted: [Part]?
        var optional: String?
        var required = ""
        var stated: Int64?
        var valid: Part?
        var isUnread = false

        init() {}
        mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("checked", &checked, .checked.orNull)
            try m.number("expected", &expected, .expected, in: 0...5)
            try m.list("noted", &noted, .noted)
            try m.text("optional", &optional, .optional)
            try m.text("required", &required)
            try m.number("stated", &stated, .stated)
            try m.part("valid", &valid, .valid)
            try m.note(&isUnread)
        }
    }

    private static let whole: JSONObject = [
        "checked": "c", "expected": 5, "noted": [["count": 1], ["count": 2]], "optional": "o",
        "required": "r",
        "stated": 7, "valid": ["count": 3],
    ]

    /// What is read where one member is another, or why nothing is.
    private func read(_ key: String, _ value: JSONValue?, _ reading: FactReader.Reading) -> String {
        var members = Self.whole
        members[key] = value
        do {
            let sample = try Sample(.object(members), reading)
            return sample.canonical.bytes.isEmpty ? "" : sample.isUnread ? "noted" : "read"
        } catch {
            return error.path
        }
    }

    @Test("What is written is read again, and members that nobody knows are passed over")
    func bothWays() throws {
        var members = Self.whole
        let bytes = try Sample(.object(members), .own).canonical.bytes
        #expect(bytes == JSONValue.object(members).canonicalBytes)
        for other in ["a", "checkee", "checkedd", "nott", "é", "\u{10000}", "zzz"] { members[other] = 1 }
        #expect(try Sample(.object(members), .received).canonical.bytes == bytes)
        #expect(try Sample(["required": ""], .received).json == ["checked": nil, "required": ""])
        #expect(Sample(shown: 7) == Sample(shown: nil))
    }

    @Test(
        "A demand decides what a missing and an unreadable member make of the fact, for the till and the hub",
        arguments: [
            ("checked", "read", "checked", "read", "read"),
            ("expected", "expected", "expected", "read", "read"),
            ("noted", "read", "noted", "read", "noted"), ("optional", "read", "read", "read", "read"),
            ("required", "required", "required", "required", "required"),
            ("stated", "stated", "stated", "read", "stated"), ("valid", "read", "valid", "read", "valid"),
        ])
    func demands(key: String, ownMissing: String, own: String, hubMissing: String, hub: String) {
        let wrong: JSONValue = key == "valid" ? ["count": 0] : false
        let place = { (text: String) in key == "valid" && text == "valid" ? "valid.count" : text }
        for missing in [nil, JSONValue.null] {
            #expect(read(key, missing, .own) == ownMissing)
            #expect(read(key, missing, .received) == hubMissing)
        }
        #expect(read(key, wrong, .own) == place(own))
        #expect(read(key, wrong, .received) == place(hub))
        #expect(read(key, wrong, .shown) == "read")
    }

    @Test("An element that cannot be read is named by its place; a list of which one is noted is missing")
    func elements() throws {
        let wrong: JSONValue = [["count": 1], ["count": 10]]
        #expect(read("noted", wrong, .own) == "noted[1].count")
        var members = Self.whole
        members["noted"] = wrong
        let read = try Sample(.object(members), .received)
        #expect(read.noted == nil && read.isUnread)
        #expect(Sample(shown: .object(members)).noted?.map(\.count) == [1, 10])
    }
}
