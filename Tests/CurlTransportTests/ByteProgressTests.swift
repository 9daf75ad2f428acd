import Base
import FaultRelay
import Synchronization
import TestKit
import Testing

@testable import CurlHTTP

@Suite("Bytes that move, by looks at their count")
struct ByteProgressTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// The looks of a connection that is open from 0 s on; each names the count and when the last byte moved.
    private func looks(_ counts: [(at: Double, bytes: Int64, movedAt: Double)]) -> [ByteProgress.Look] {
        var progress = ByteProgress()
        return counts.map { count in
            progress.look(
                openSince: at(0), every: .seconds(3), bytes: count.bytes, movedAt: at(count.movedAt),
                at: at(count.at))
        }
    }

    @Test("Bytes that move for a whole interval are reported, with its beginning")
    func moves() {
        let found = looks([(0, 700, 0), (3, 9_000, 2.9), (4, 9_500, 4), (6, 15_000, 5.9)])
        #expect(found == [.notDue, .moves(since: at(0)), .notDue, .moves(since: at(3))])
    }

    @Test("A request that was acknowledged at once and has no response stands after one interval")
    func waits() {
        #expect(looks([(0, 0, 0), (3.1, 1_626, 0.05)]) == [.notDue, .stands])
    }

    @Test("Silence counts from the last byte, and looks end in no loop")
    func silence() throws {
        var progress = ByteProgress()
        func look(_ now: Double, _ bytes: Int64, _ movedAt: Double) -> ByteProgress.Look {
            progress.look(
                openSince: at(0), every: .seconds(3), bytes: bytes, movedAt: at(movedAt), at: at(now))
        }
        #expect(look(0, 0, 0) == .notDue)
        #expect(progress.nextLook == at(3))
        #expect(look(3, 20_000, 2) == .moves(since: at(0)))
        #expect(progress.isMoving && progress.nextLook == at(5))
        #expect(look(5, 20_000, 2) == .stands)
        #expect(!progress.isMoving && progress.nextLook == at(8))
    }

    @Test("A trickle is none, and what cannot be counted moves nothing")
    func trickle() {
        #expect(looks([(0, 0, 0), (3, 60, 2.9)]) == [.notDue, .stands])
        #expect(looks([(0, -1, 0), (3, -1, 2.9)]) == [.notDue, .stands])
    }
}

@Suite("A request on a thin line", .timeLimit(.minutes(2)))
struct ThinLineTests {
    private let server: ScriptedServer
    private let relay: FaultRelay
    private let session: CurlSession

    init() throws {
        server = try ScriptedServer()
        server.on("/v1/mutations", .json(200, "{}"))
        relay = try FaultRelay(target: server.port)
        session = try CurlSession(configuration: CurlSessionConfiguration(stallAfter: .milliseconds(200)))
    }

    private func request(_ kilobytes: Int, longest: Duration? = .seconds(30)) -> HTTPRequest {
        var request = HTTPRequest(
            method: .post, url: "http://127.0.0.1:\(relay.port)/v1/mutations",
            body: Array(repeating: 0x20, count: kilobytes << 10), timeout: .milliseconds(500))
        request.longestWhileMoving = longest
        return request
    }

    @Test("It goes on past its time while its bytes move, is no stall, and is reported as moving")
    func large() async throws {
        relay.setThroughput(bytesPerSecond: 64 << 10)
        let reports = Mutex((stalls: 0, moves: [Instant]()))
        let exchange = await session.send(
            request(96), onStall: { _ in reports.withLock { $0.stalls += 1 } },
            onMove: { since in reports.withLock { $0.moves.append(since) } })
        #expect(try exchange.result.get().status == 200)
        let (stalls, moves) = reports.withLock { $0 }
        #expect(stalls == 0)
        #expect(moves.count > 1)
        #expect(moves.allSatisfy { $0 >= exchange.timings.startedAt && $0 < exchange.timings.finishedAt })
        #expect(exchange.timings.finishedAt - exchange.timings.startedAt > .milliseconds(500))
    }

    @Test("Without leave to go on it ends at its time")
    func bounded() async throws {
        relay.setThroughput(bytesPerSecond: 64 << 10)
        let exchange = await session.send(request(96, longest: nil))
        #expect(exchange.result == .failure(.deadlinePassed(.waiting)))
    }

    @Test("It ends at its longest time, whatever still moves")
    func longest() async throws {
        relay.setThroughput(bytesPerSecond: 32 << 10)
        let exchange = await session.send(request(512, longest: .seconds(1)))
        #expect(exchange.result == .failure(.deadlinePassed(.waiting)))
        let took = exchange.timings.finishedAt - exchange.timings.startedAt
        // Its time runs from before the transfer starts, some hundred milliseconds on a busy machine.
        #expect(took >= .milliseconds(500) && took < .seconds(8))
    }

    @Test("A line that goes dark in the middle ends it, and is a stall")
    func dark() async throws {
        relay.setThroughput(bytesPerSecond: 32 << 10)
        let stalls = Mutex(0)
        let exchange = await session.send(
            request(512), onStall: { _ in stalls.withLock { $0 += 1 } },
            onMove: { [relay] _ in relay.setThroughput(bytesPerSecond: 1) })
        #expect(exchange.result == .failure(.deadlinePassed(.waiting)))
        #expect(stalls.withLock { $0 } == 1)
    }
}
