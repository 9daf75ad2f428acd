import HubProtocol
import Testing

@Suite("JSON object")
struct JSONObjectTests {
    /// Fewer and more members than are looked through one by one.
    @Test("A member is found, set and taken away, and all stand in order", arguments: [3, 24, 25, 400])
    func members(_ count: Int) {
        let keys = (0..<count).map { "key\($0)" }
        var object = JSONObject()
        for key in keys.shuffled() { object[key] = .string(key) }
        #expect(object.keys == keys.sorted())
        #expect(keys.allSatisfy { object[$0] == .string($0) })
        #expect(object["key"] == nil && object["key\(count)"] == nil && object["a"] == nil)
        object["key1"] = 7
        #expect(object["key1"] == 7 && object.count == count)
        object["key1"] = JSONValue?.none
        #expect(object["key1"] == nil && object.count == count - 1)
        object["key2"] = .some(.null)
        #expect(object["key2"] == .some(.null) && object.count == count - 1)
    }

    @Test("Of members that share a key the last stays, however they are put together")
    func lastStays() {
        #expect(JSONObject([("b", 1), ("a", 2), ("b", 3)]) == ["a": 2, "b": 3])
        let merged = JSONObject(["a": 1, "b": 2]).merging(["b": 3, "c": 4]) { old, new in [old, new] }
        #expect(merged == ["a": 1, "b": [2, 3], "c": 4])
        #expect(merged.filter { $0.value.integer != nil } == ["a": 1, "c": 4])
    }

    /// U+F900 is U+8C48 by canonical equivalence, and both take three bytes.
    @Test("Two spellings of one character are two keys, as they are to everybody else")
    func spellings() throws {
        let text = "{\"\u{8C48}\":1,\"\u{F900}\":2}"
        let value = try JSONParser.parse(text.utf8)
        #expect(value["\u{8C48}"] == 1 && value["\u{F900}"] == 2)
        #expect(Array(value.canonicalText.utf8) == Array(text.utf8))
    }

    @Test("A repeated key is named with its place, in whatever order the keys come")
    func repetition() {
        for (text, offset) in [
            (#"{"a":1,"a":2}"#, 7), (#"{"b":{"a":1},"a":1,"b":2}"#, 19), (#"{"b":1,"a":2,"\u0062":3}"#, 13),
            (#" { "b" : [ { "c" : 1 } ] , "a" : 2 , "b" : 3 } "#, 37),
        ] {
            #expect(throws: JSONError(reason: .repeatedKey(offset == 7 ? "a" : "b"), offset: offset)) {
                try JSONParser.parse(text.utf8)
            }
        }
    }

    @Test("What is read in any order is equal, and is written in one")
    func order() throws {
        let one = try JSONParser.parse(#"{"b":1,"a":{"d":1,"c":2}}"#.utf8)
        #expect(one == ["a": ["c": 2, "d": 1], "b": 1])
        #expect(one.canonicalText == #"{"a":{"c":2,"d":1},"b":1}"#)
    }
}
