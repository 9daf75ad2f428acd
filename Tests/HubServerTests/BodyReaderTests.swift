import Base
import HTTPTypes
import HubProtocol
import Hummingbird
import NIOCore
import TestKit
import Testing

@testable import HubServer

@Suite("Bodies of requests")
struct BodyReaderTests {
    private let clock = HandClock()

    private func request(_ body: RequestBody, length: Int? = nil) -> Request {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "hub", path: "/")
        head.headerFields[.contentLength] = length.map(String.init)
        return Request(head: head, body: body)
    }

    private func read(_ request: Request, limit: Int = 8) async -> Result<[UInt8], Problem> {
        let limits = BodyLimits(maximumBytes: limit, deadline: .seconds(10))
        let reader = BodyReader(limits: limits, begin: {}, time: clock)
        do throws(Problem) {
            return .success(try await reader.bytes(of: request))
        } catch {
            return .failure(error)
        }
    }

    @Test("A body that trickles in ends at its deadline, whatever has come")
    func slow() async throws {
        let (body, source) = RequestBody.makeStream()
        let request = request(body)
        async let result = read(request)
        await source.yield(ByteBuffer(string: "{"))
        await eventually { clock.alarms.count == 1 }
        clock.advance(by: .seconds(10))
        guard case .failure(let problem) = await result else { return #expect(Bool(false), "it was read") }
        #expect(problem.status == 408)
        #expect(clock.alarms.isEmpty)
    }

    @Test("A long body has longer: what a line of 4 kbit/s needs for it, at most a minute")
    func long() {
        let terminal = BodyLimits.terminal
        #expect(terminal.deadline(of: nil) == .seconds(10))
        #expect(terminal.deadline(of: 1_626) == .seconds(10))
        #expect(terminal.deadline(of: 20_000) == .seconds(40))
        #expect(terminal.deadline(of: 44_000) == .seconds(60))
        #expect(terminal.deadline(of: 1 << 20) == .seconds(60))
        #expect(BodyLimits.chunk.deadline(of: 1 << 20) == .seconds(120))
    }

    @Test("A body in time is its bytes; one byte more than the limit is refused")
    func whole() async throws {
        let whole = await read(request(RequestBody(buffer: ByteBuffer(string: "12345678"))))
        #expect(try whole.get() == Array("12345678".utf8))
        let large = await read(request(RequestBody(buffer: ByteBuffer(string: "123456789"))))
        guard case .failure(let problem) = large else { return #expect(Bool(false), "it was read") }
        #expect(problem.status == 413)
        let announced = await read(request(RequestBody(buffer: ByteBuffer()), length: 9))
        guard case .failure(let early) = announced else { return #expect(Bool(false), "it was read") }
        #expect(early.status == 413)
        #expect(clock.alarms.isEmpty)
    }
}
