import Testing

@Suite("Parsers of foreign bytes")
struct ParserTests {
    @Test("keep their guarantees on corrupt documents", arguments: Parser.all.map(\.name))
    func corrupt(name: String) throws {
        let parser = try #require(Parser.all.first { $0.name == name })
        for (number, seed) in parser.seeds.enumerated() {
            #expect(parser.check(seed) == nil)
            var mutator = ByteMutator(seed: UInt64(number))
            for _ in 0..<1500 {
                let bytes = mutator.invalidate(seed)
                let fault = parser.check(bytes)
                try #require(fault == nil, "\(String(decoding: bytes, as: UTF8.self)) \(bytes)")
            }
        }
    }

    @Test("keep their guarantees on the inputs that were kept", arguments: ["zvt", "nexo"])
    func kept(name: String) throws {
        let parser = try #require(Parser.all.first { $0.name == name })
        let inputs = try parser.kept
        #expect(inputs.count >= 50)
        for (number, input) in inputs.enumerated() {
            var mutator = ByteMutator(seed: UInt64(number))
            for bytes in [input] + (0..<20).map({ _ in mutator.invalidate(input) }) {
                let fault = parser.check(bytes)
                try #require(fault == nil, "\(number): \(bytes)")
            }
        }
    }

    @Test("have names of their own")
    func names() {
        #expect(Set(Parser.all.map(\.name)).count == Parser.all.count)
    }
}
