import HubProtocol
import Testing

@Suite("Bounds of texts")
struct TextBoundTests {
    private func text(_ bytes: Int) -> JSONValue { .string(String(repeating: "a", count: bytes)) }

    @Test("A text fits up to its bound, and one byte more is found with its place")
    func bounds() {
        for (member, bound) in [
            ("sku", 128), ("orderId", 128), ("orderNumber", 128), ("coupons", 128), ("member_id", 128),
            ("name", 256), ("unknown", 256), ("reason", 500), ("barcode", 1_300), ("receiptCode", 1_300),
            ("text", 4_096),
        ] {
            func document(_ bytes: Int) -> JSONValue {
                ["lines": [["quantity": 1], .object(JSONObject([(member, text(bytes))]))]]
            }
            #expect(TextBound.excess(in: document(bound)) == nil, "\(member)")
            let excess = TextBound.excess(in: document(bound + 1))
            #expect(excess?.description == "`lines[1].\(member)` has more than \(bound) bytes")
        }
        #expect(TextBound.excess(in: ["a": [["b": [nil, true, 1, "x"]]]]) == nil)
        #expect(TextBound.excess(in: text(257))?.bound == 256)
    }

    @Test("A member's name has a bound, too, and what shows it is short and acts on no screen")
    func names() {
        let name = "\u{1B}" + String(repeating: "n", count: 1 << 20)
        let excess = TextBound.excess(
            in: .object(JSONObject([("a", .object(JSONObject([(name, JSONValue.null)])))])))
        #expect(excess?.bound == TextBound.name)
        #expect(excess.map { $0.description.utf8.count < 400 } == true)
        #expect(excess?.description.contains("\u{1B}") == false)
    }

    @Test("A long text is shown by its beginning, never by half a character")
    func shown() {
        #expect(TextBound.shown("tea") == "tea")
        #expect(
            TextBound.shown(String(repeating: "a", count: 257)) == String(repeating: "a", count: 253) + "…")
        let chinese = TextBound.shown(String(repeating: "茶", count: 100), upTo: 128)
        #expect(chinese == String(repeating: "茶", count: 41) + "…")
        let document: JSONValue = ["a": [text(300)], "n": 1]
        #expect(
            TextBound.shown(document) == [
                "a": [.string(TextBound.shown(String(repeating: "a", count: 300)))], "n": 1,
            ])
    }

    @Test("Two long texts have two keys of at most 128 bytes; a short one is its own")
    func keys() {
        let long = String(repeating: "茶", count: 1 << 16)
        let keys = ["S1-1-20261121-0001", long + "a", long + "b"].map { TextBound.key($0) }
        #expect(keys[0] == "S1-1-20261121-0001")
        #expect(Set(keys).count == 3)
        #expect(keys.allSatisfy { $0.utf8.count <= TextBound.name })
        #expect(TextBound.key(keys[1]) == keys[1])
    }

    @Test("A code longer than any scanner reads is not taken apart", .timeLimit(.minutes(1)))
    func barcodes() {
        let fits = "0104006381333931" + String(repeating: "10AB\u{1D}", count: 240)
        #expect(ElementString(fits) != nil)
        let long = "(01)04006381333931" + String(repeating: "(10)A", count: 200_000)
        #expect(ElementString(long) == nil)
        #expect(ElementString.fault(in: long) == .tooLong)
    }
}
