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
    /// - Returns: how long making it durable took, as the response says, in nanoseconds.
    func sell() throws(BenchFailure) -> Int64 {
        try query()
        return try response()
    }

    /// Hands the next basket over without waiting for its receipt.
    func query() throws(BenchFailure) {
        try program.write(line: Baskets.request(sold))
        sold += 1
    }

    /// Sells a basket of the caller's own, given as the document of a request.
    ///
    /// - Returns: how long making it durable took, in nanoseconds, and the response.
    func sell(_ request: JSONValue) throws(BenchFailure) -> (durable: Int64, receipt: JSONValue) {
        try program.write(line: request.canonicalText)
        return try receipt()
    }

    /// Waits for the receipt of the oldest basket without one; see ``sell()``.
    func response() throws(BenchFailure) -> Int64 { try receipt().durable }

    private func receipt() throws(BenchFailure) -> (durable: Int64, receipt: JSONValue) {
        let line = try program.readLine()
        guard let response = try? JSONParser.parse(line.utf8), response["orderNumber"] != nil else {
            throw program.failure("it answered \(line)")
        }
        switch response["durableMs"] {
        case .integer(let whole): return (whole * 1_000_000, response)
        case .double(let exact): return (Int64((exact * 1e6).rounded()), response)
        default: throw program.failure("it answered without durableMs: \(line)")
        }
    }

    /// Ends the stream and waits until the program is gone.
    func end() throws(BenchFailure) {
        _ = try program.finish()
    }
}
