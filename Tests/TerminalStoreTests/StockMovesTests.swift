import Testing

@testable import TerminalStore

@Suite("What an entry moves of the stock")
struct StockMovesTests {
    @Test("is read as it was written, whatever an article is called; nothing is NULL")
    func roundTrip() throws {
        let moves = StockMoves(moves: [
            StockMoves.Move(line: 0, sku: "S\"1\\ 茶", deltaMilli: .min),
            StockMoves.Move(line: 9_999, sku: "", deltaMilli: .max),
        ])
        #expect(try StockMoves(column: moves.column) == moves)
        #expect(StockMoves.none.column == nil)
        #expect(try StockMoves(column: nil) == .none)
    }

    @Test(
        "a corrupt column is an error and does not count as empty",
        arguments: [
            "", "{}", "7", "[7]", "[[0,\"S1\"]]", "[[0,1,2]]", "[[\"0\",\"S1\",1]]", "[[0,\"S1\",0.5]]", "[[",
        ])
    func corrupt(_ column: String) {
        #expect(throws: JournalChain.Broken.self) { try StockMoves(column: column) }
    }
}
