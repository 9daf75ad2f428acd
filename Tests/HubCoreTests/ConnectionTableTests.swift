import HubCore
import Testing

@Suite("ConnectionTable")
struct ConnectionTableTests {
    /// Opens connections numbered from `first`, and what gave way to each of them.
    private func open(
        _ ids: ClosedRange<Int>, from address: String?, in table: inout ConnectionTable<Int>
    ) -> [Int] {
        ids.flatMap { id -> [Int] in
            guard case .admitted(let closing) = table.opened(id, from: address) else { return [-id] }
            return closing
        }
    }

    @Test("An address holds its limit; one more closes its oldest unknown connection, and nobody else's")
    func perAddress() {
        var table = ConnectionTable<Int>(maximum: 100, perAddress: 3)
        #expect(open(1...1, from: "b", in: &table) == [])
        #expect(open(2...4, from: "a", in: &table) == [])
        #expect(open(5...6, from: "a", in: &table) == [2, 3])
        #expect(table.count == 4)
    }

    @Test("A connection that showed a token counts by no address and gives way to no address")
    func known() {
        var table = ConnectionTable<Int>(maximum: 100, perAddress: 2)
        _ = open(1...2, from: "a", in: &table)
        table.becameKnown(1)
        #expect(open(3...3, from: "a", in: &table) == [])
        #expect(open(4...6, from: "a", in: &table) == [2, 3, 4])
    }

    @Test("Addresses that do not count hold as many as there is room")
    func exempt() {
        var table = ConnectionTable<Int>(maximum: 10, perAddress: 2)
        #expect(open(1...10, from: nil, in: &table) == [])
        #expect(open(11...11, from: nil, in: &table) == [1])
    }

    @Test("A full table closes the oldest unknown one first, then the one that is idle for longest")
    func full() {
        var table = ConnectionTable<Int>(maximum: 3, perAddress: 10)
        _ = open(1...3, from: "a", in: &table)
        table.becameKnown(1)
        table.becameKnown(2)
        table.requestBegan(1)
        table.requestEnded(1)
        #expect(open(4...4, from: "b", in: &table) == [3])
        table.becameKnown(4)
        #expect(open(5...5, from: "b", in: &table) == [2])
        #expect(open(6...6, from: "b", in: &table) == [5])
    }

    @Test("One that is being handled never gives way; where all are, the new one is refused")
    func busy() {
        var table = ConnectionTable<Int>(maximum: 2, perAddress: 10)
        _ = open(1...2, from: "a", in: &table)
        for id in 1...2 {
            table.requestBegan(id)
            table.becameKnown(id)
        }
        #expect(table.opened(3, from: "a") == .refused)
        table.requestEnded(2)
        #expect(open(4...4, from: "a", in: &table) == [2])
        table.closed(1)
        #expect(open(5...5, from: "a", in: &table) == [])
    }

    @Test("A pipelined second request keeps it busy until both get a response")
    func pipelined() {
        var table = ConnectionTable<Int>(maximum: 1, perAddress: 10)
        _ = open(1...1, from: "a", in: &table)
        table.becameKnown(1)
        table.requestBegan(1)
        table.requestBegan(1)
        table.requestEnded(1)
        #expect(table.opened(2, from: "a") == .refused)
        table.requestEnded(1)
        #expect(table.opened(2, from: "a") == .admitted(closing: [1]))
    }

    @Test("A storm of 100,000 from one address leaves its limit of connections and every known one")
    func storm() {
        var table = ConnectionTable<Int>(maximum: 500, perAddress: 100)
        _ = open(1...200, from: nil, in: &table)
        for id in 1...200 { table.becameKnown(id) }
        for id in 1_000..<101_000 { _ = table.opened(id, from: "a") }
        #expect(table.count == 300)
        for id in 1...200 { table.requestBegan(id) }
        #expect(open(1_000_000...1_000_001, from: "b", in: &table) == [])
    }
}
