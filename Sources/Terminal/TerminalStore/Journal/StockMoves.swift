internal import HubProtocol
internal import Pricing
internal import Retail

/// The moves of counted stocks by an entry. They are not sent to the hub, which has its own count.
///
/// They are kept in the entry's row, so that a sale writes no further rows.
struct StockMoves: Hashable {
    struct Move: Hashable {
        /// The line of the sale, from 0.
        let line: Int
        let sku: String
        /// Thousandths of a unit; what goes out is negative.
        let deltaMilli: Int64
    }

    let moves: [Move]

    static let none = StockMoves(moves: [])

    /// What a sale of `lines` takes out.
    static func sold(_ lines: [SaleLine]) -> StockMoves {
        of(lines) { -$0 }
    }

    /// What comes back when a sale of `lines` is voided.
    static func voided(_ lines: [SaleLine]) -> StockMoves {
        of(lines) { $0 }
    }

    /// What a refund brings back; `isCounted` is by the line's place in the sale.
    static func refunded(_ lines: [RefundLine], isCounted: [Bool]) -> StockMoves {
        StockMoves(
            moves: lines.filter { isCounted[$0.place] }.map {
                Move(line: $0.place, sku: $0.sku, deltaMilli: $0.quantityMilli)
            })
    }

    private static func of(_ lines: [SaleLine], delta: (Int64) -> Int64) -> StockMoves {
        StockMoves(
            moves: lines.enumerated().filter { $0.element.isCounted }.map { number, line in
                Move(line: number, sku: line.sku, deltaMilli: delta(line.price.quantityMilli))
            })
    }
}

extension StockMoves {
    /// The column's text: a JSON array of `[line, sku, thousandths]`, and NULL for nothing.
    var column: String? {
        guard !moves.isEmpty else { return nil }
        return JSONValue.array(
            moves.map { .array([.integer(Int64($0.line)), .string($0.sku), .integer($0.deltaMilli)]) }
        ).canonicalText
    }

    init(column: String?) throws {
        guard let column else {
            self = .none
            return
        }
        let corrupt = JournalChain.Broken(detail: "what an entry moved of the stock cannot be read")
        guard let list = (try? JSONParser.parse(column.utf8))?.array else { throw corrupt }
        moves = try list.map { move in
            guard let fields = move.array, fields.count == 3, let line = fields[0].integer,
                let sku = fields[1].string, let delta = fields[2].integer
            else { throw corrupt }
            return Move(line: Int(clamping: line), sku: sku, deltaMilli: delta)
        }
    }
}
