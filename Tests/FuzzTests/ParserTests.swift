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

    @Test("have names of their own")
    func names() {
        #expect(Set(Parser.all.map(\.name)).count == Parser.all.count)
    }
}
