import HubProtocol
import TestKit

/// A running `pos sell --stdin --json`.
final class SaleStreamUnderTest {
    let program: ProgramUnderTest
    private var read = 0

    init(_ program: ProgramUnderTest) {
        self.program = program
    }

    /// Writes a request without waiting for its response.
    func send(_ request: JSONValue) throws {
        try program.write(line: request.canonicalText)
    }

    /// The next response, at most `seconds` later.
    func response(within seconds: Double = 15) throws -> JSONValue {
        guard let line = program.output.line(at: read, within: seconds) else {
            throw ShopError.noResponse(after: read, errors: program.errors.lines)
        }
        read += 1
        return try JSONParser.parse(line.utf8)
    }

    func sell(_ request: JSONValue) throws -> JSONValue {
        try send(request)
        return try response()
    }

    /// Sells articles of the assortment, one after the other.
    @discardableResult
    func sellPieces(_ count: Int) throws -> [JSONValue] {
        try (0..<count).map { try sell(SaleRequests.piece($0)) }
    }

    /// Ends the requests; the exit code.
    func close() -> Int32? {
        program.closeInput()
        return program.exitCode(within: 30)
    }
}
