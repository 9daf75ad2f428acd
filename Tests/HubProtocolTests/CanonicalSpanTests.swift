import HubProtocol
import Testing

@Suite("Elements that stand in canonical form")
struct CanonicalSpanTests {
    private func spans(_ elements: String) throws -> [String?] {
        let bytes = Array("{\"epoch\":1, \"mutations\":[\(elements)]}".utf8)
        return try JSONParser.parse(bytes, lookingFor: "mutations").spans.map { span in
            span.map { String(decoding: bytes[$0], as: UTF8.self) }
        }
    }

    @Test(
        "What is canonical is found, and is what the tree would be written as",
        arguments: [
            #"{}"#, #"{"a":1,"b":[{"c":"ü"},null,true]}"#, #"{"a":"x","ab":-7,"b":9007199254740991}"#,
            #"{"a":"𝄞€"}"#, #"[1,"2"]"#, #""text""#,
        ])
    func canonical(_ element: String) throws {
        #expect(try spans("\(element), \(element)") == [element, element])
        #expect(try JSONParser.parse(element.utf8).canonicalText == element)
    }

    @Test(
        "What the canonical form writes in another way is not",
        arguments: [
            #"{"b":1,"a":2}"#, #"{"a": 1}"#, #"{"a":1 }"#, #"{"a":1.0}"#, #"{"a":1e3}"#, #"{"a":-0}"#,
            #"{"a":"\u0041"}"#, #"{"a":"\n"}"#, #"{"a":9007199254740992}"#, #"{"！":1,"𝄞":2}"#,
            #"{"a":{"d":1,"c":2}}"#,
        ])
    func odd(_ element: String) throws {
        #expect(try spans("{\"a\":1},\(element)") == ["{\"a\":1}", nil])
    }

    @Test("A member that is no array, or is missing, has no elements")
    func noArray() throws {
        for text in [#"{"mutations":{"a":1}}"#, #"{"other":[1]}"#, #"[1]"#, #"{"a":{"mutations":[1]}}"#] {
            #expect(try JSONParser.parse(Array(text.utf8), lookingFor: "mutations").spans.isEmpty)
        }
    }

    @Test("The hash leaves its own member out, wherever it stands")
    func hash() {
        let bare = Mutation.hash(ofCanonical: Array(#"{"a":1,"z":2}"#.utf8))
        for text in [
            #"{"a":1,"hash":"x,}\"","z":2}"#, #"{"a":1,"hash":{"b":[1,"]"]},"z":2}"#, #"{"a":1,"z":2}"#,
        ] { #expect(Mutation.hash(ofCanonical: Array(text.utf8)) == bare, "\(text)") }
        let inner = Mutation.hash(ofCanonical: Array(#"{"a":{"hash":1},"z":2}"#.utf8))
        #expect(inner != Mutation.hash(ofCanonical: Array(#"{"a":{},"z":2}"#.utf8)))
        let first = Mutation.hash(ofCanonical: Array(#"{"hash":1,"z":2}"#.utf8))
        #expect(first == Mutation.hash(ofCanonical: Array(#"{"z":2}"#.utf8)))
        let last = Mutation.hash(ofCanonical: Array(#"{"a":2,"hash":1}"#.utf8))
        #expect(last == Mutation.hash(ofCanonical: Array(#"{"a":2}"#.utf8)))
        #expect(
            Mutation.hash(ofCanonical: Array(#"{"hash":1}"#.utf8))
                == Mutation.hash(ofCanonical: Array("{}".utf8)))
    }
}
