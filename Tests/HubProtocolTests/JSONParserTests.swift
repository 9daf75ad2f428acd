import HubProtocol
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    private func reason(_ text: String) -> JSONError.Reason? {
        do {
            _ = try JSONParser.parse(text.utf8)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A document of every kind is read")
    func everyKind() throws {
        let text = #" {"a":[1,-2,0,1.5,1e2],"b":{"c":null,"d":true,"e":false},"f":"x\n\u00e9\ud83d\ude00ü"} "#
        let value = try JSONParser.parse(text.utf8)
        #expect(value["a"]?.array == [1, -2, 0, .double(1.5), 100])
        #expect(value["b"] == ["c": nil, "d": true, "e": false])
        #expect(value["f"]?.string == "x\né😀ü")
    }

    @Test("What two parsers could read differently is refused")
    func strictness() {
        #expect(reason(#"{"a":1,"a":2}"#) == .repeatedKey("a"))
        #expect(reason("[1,]") == .unexpectedByte)
        #expect(reason("{}x") == .trailingContent)
        #expect(reason("01") == .unexpectedByte)
        #expect(reason("-") == .unexpectedEnd)
        #expect(reason(#""\ud800""#) == .loneSurrogate)
        #expect(reason("\u{FEFF}{}") == .unexpectedByte)
        #expect(reason("\"\u{01}\"") == .unexpectedByte)
        #expect(reason("1e999") == .numberTooLarge)
        #expect(reason("") == .unexpectedEnd)
    }

    @Test("64 levels are read, one more is refused")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(reason(nested(64)) == nil)
        #expect(reason(nested(65)) == .tooDeep)
    }

    @Test("Invalid UTF-8 is refused")
    func invalidUTF8() {
        #expect(throws: JSONError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test("A document cut at any byte is refused and never traps")
    func cutAtEveryByte() {
        let whole = Array(#"{"id":"01\u00e9","n":[-12,3.5e1,true,null],"o":{"k":"v"}}"#.utf8)
        for end in whole.indices {
            #expect(throws: JSONError.self) { try JSONParser.parse(whole[..<end]) }
        }
    }
}
