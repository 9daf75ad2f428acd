internal import HubProtocol

/// A running `pos sell --stdin`.
final class SaleStream {
    private let program: BuiltProgram
    private var sold = 0

    init(_ program: BuiltProgram) {
        self.program = program
    }

    /// Sells the next basket.
    ///
    /// - Returns: how long making it durable took, as the answer says, in nanoseconds.
    func sell() throws(BenchFailure) -> Int64 {
        try ask()
        return try answer()
    }

    /// Hands the next basket over without waiting for its receipt.
    func ask() throws(BenchFailure) {
        try program.write(line: Baskets.request(sold))
        sold += 1
    }

    /// Waits for the receipt of the oldest basket without one; see ``sell()``.
    func answer() throws(BenchFailure) -> Int64 {
        let line = try program.readLine()
        guard let answer = try? JSONParser.parse(line.utf8), answer["orderNumber"] != nil else {
            throw program.failure("it answered \(line)")
        }
        switch answer["durableMs"] {
        case .integer(let whole): return whole * 1_000_000
        case .double(let exact): return Int64((exact * 1e6).rounded())
        default: throw program.failure("it answered without durableMs: \(line)")
        }
    }

    /// Ends the stream and waits until the program is gone.
    func end() throws(BenchFailure) {
        _ = try program.finish()
    }
}
