import Base
import Crypto
import Foundation
import Glibc
import HubProtocol
import LinuxRuntime
import Logging
import MachineRuntime
import Neighbours
import OfflineMode
import PinnedTLS
import Synchronization
import TestKit
import Testing

@testable import Agent

/// A till among others over real sockets: those that lie, and strangers.
@Suite("A till and those who connect to it")
struct NeighbourRunTests {
    /// A terminal of the store that a test plays.
    private struct Till {
        let id: String
        let device = Curve25519.Signing.PrivateKey()
        let own = Curve25519.Signing.PrivateKey()

        var publicKey: String { device.publicKey.rawRepresentation.base64EncodedString() }
        var terminalKey: TerminalKey { TerminalKey(terminalId: id, storeId: "S1", publicKey: publicKey) }

        /// - Parameter bound: the key that its device key signed; nil: its own.
        func identity(boundTo bound: Curve25519.Signing.PrivateKey? = nil) throws -> TLSIdentity {
            let bytes = NeighbourKey.signedBytes(
                terminalId: id, key: Array((bound ?? own).publicKey.rawRepresentation))
            return try #require(
                TLSIdentity(
                    seed: Array(own.rawRepresentation), name: id,
                    proof: Array(try device.signature(for: bytes))))
        }

        func neighbour() throws -> NeighbourIdentity {
            let claim = TLSClaim(name: id, key: Array(own.publicKey.rawRepresentation), proof: [])
            return NeighbourIdentity(claim, try identity())
        }

        /// The end of the journal of `terminalId`, signed by this till.
        func head(of terminalId: String, _ sequence: Int64) throws -> SignedHead {
            try #require(
                SignedHead(
                    terminalId: terminalId, epoch: 1, sequence: sequence,
                    hash: String(repeating: "0", count: 64), orderCounter: 1, at: 0,
                    sign: { try? device.signature(for: $0).base64EncodedString() }))
        }
    }

    private let thread: EventLoopThread
    private let own = Till(id: "A")
    private let liar = Till(id: "L")
    private var loop: EventLoop { thread.loop }
    private var end: Instant { LinuxSystemTime(loop: loop).now() + .seconds(20) }

    init() throws { thread = try EventLoopThread(named: "tills") }

    private func hello(of id: String) -> NeighbourHello {
        var hello = NeighbourHello()
        (hello.terminalId, hello.run, hello.version) = (id, "r", "1.0.0")
        return hello
    }

    /// The till whose journal ends at entry 5.
    ///
    /// - Parameters:
    ///   - place: where it listens.
    ///   - greeted: whom it greets; nil: nobody is there.
    ///   - network: nil: the shop's.
    ///   - file: where what it has seen of others is kept.
    private func run(
        at place: SocketAddress, time: any SystemTime, greeting greeted: SocketAddress? = nil,
        over network: (any NeighbourNetwork)? = nil, keepingIn file: WitnessFile? = nil
    ) async throws -> NeighbourRun {
        let (own, head) = (own, try own.head(of: own.id, 5))
        var ownHello = hello(of: own.id)
        ownHello.head = head.json
        let witness = OwnWitness(
            terminalId: own.id, publicKey: own.publicKey, head: { head },
            hash: { $0 == 3 ? String(repeating: "3", count: 64) : head.hash })
        let keys = [own.terminalKey, liar.terminalKey]
        let settings = NeighbourSettings(
            isEnabled: true, listen: [place],
            addresses: [try greeted ?? #require(SocketAddress("127.0.0.1:1", defaultPort: 0))])
        return NeighbourRun(
            settings, try own.neighbour(),
            NeighbourSurroundings(
                terminalId: own.id, network: network ?? ShopNetwork(loop: loop), time: time,
                modes: { AsyncStream { _ in } },
                logger: Logger(label: "test"), ownHello: { [ownHello] in ownHello }, keys: { keys },
                witness: witness, revisions: StatusRevisions(time: time), witnessFile: file),
            witnessed: await file?.load() ?? [:])
    }

    /// Gives `body` where the running till listens.
    ///
    /// - Parameters:
    ///   - network: nil: the shop's.
    ///   - file: where what it has seen of others is kept.
    private func withRun(
        over network: KeyTakingNetwork? = nil,
        greeting greeted: SocketAddress? = nil, keepingIn file: WitnessFile? = nil,
        _ body: (NeighbourRun, SocketAddress) async throws -> Void
    ) async throws {
        let run = try await run(
            at: try #require(SocketAddress("127.0.0.1", defaultPort: 0)),
            time: LinuxSystemTime(loop: loop), greeting: greeted, over: network, keepingIn: file)
        network?.take(run, leaving: [own.terminalKey])
        let work = Task { await run.run() }
        let address = try await eventually { run.findings.listening.first }
        if network == nil { _ = try await eventually { run.driver.withMachine { $0.key(of: "L") } } }
        do {
            try await body(run, address)
        } catch {
            work.cancel()
            throw error
        }
        work.cancel()
        await work.value
    }

    private func eventually<Value>(_ value: () -> Value?) async throws -> Value {
        while LinuxSystemTime(loop: loop).now() < end {
            if let value = value() { return value }
            // Between two looks at what real sockets bring about: the run reports neither of both.
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CancellationError()
    }

    /// Greets the till as `liar`, who says that it has `seen`, and that its own journal ends at `head`.
    ///
    /// - Returns: what the till has seen of the liar's journal.
    @discardableResult
    private func greet(
        _ address: SocketAddress, seen: SignedHead? = nil, head: SignedHead? = nil
    ) async throws -> SignedHead? {
        let stream = try await TLSStream.connect(
            to: address, as: try liar.identity(), on: loop, until: end, accepts: { $0.name == "A" })
        let connection = NeighbourConnection(stream, to: "A")
        var hello = hello(of: "L")
        (hello.seen, hello.head) = (seen?.json, head?.json)
        let response = try await connection.exchange(.request(NeighbourHello.path, hello.json), until: end)
        #expect(response.isGood)
        await connection.close()
        return try response.document?["seen"].flatMap { $0 == .null ? nil : try SignedHead(json: $0) }
    }

    @Test("What a till says that it has seen of this one counts with this one's signature alone")
    func falseWitness() async throws {
        try await withRun { run, address in
            // The response comes after what it says was looked at.
            try await greet(address, seen: try liar.head(of: "A", 99))
            #expect(!run.isBehind)
            for known: Int64 in [5, 4] {
                try await greet(address, seen: try own.head(of: "A", known))
                #expect(!run.isBehind)
            }
            try await greet(address, seen: try own.head(of: "A", 6))
            #expect(run.isBehind)
        }
        // A disk that went on by itself has another entry where the seen one was.
        try await withRun { run, address in
            try await greet(address, seen: try own.head(of: "A", 3))
            #expect(run.isBehind)
        }
    }

    /// A connection as the liar, over which it has said hello.
    private func met(_ address: SocketAddress, as identity: TLSIdentity? = nil) async throws
        -> NeighbourConnection
    {
        let stream = try await TLSStream.connect(
            to: address, as: try identity ?? liar.identity(), on: loop, until: end,
            accepts: { $0.name == "A" })
        let connection = NeighbourConnection(stream, to: "A")
        let request = NeighbourMessage.request(NeighbourHello.path, hello(of: "L").json)
        #expect(try await connection.exchange(request, until: end).isGood)
        return connection
    }

    /// Whether the till ends a connection by itself.
    private func isEnded(_ connection: NeighbourConnection) async -> Bool {
        do {
            return try await connection.next(until: end) == nil
        } catch {
            return error != .timedOut
        }
    }

    @Test("A connection ends for another name, with a withdrawn key, and for a fourth one of the same till")
    func ended() async throws {
        try await withRun { run, address in
            await #expect(throws: TLSStreamFailure.self) {
                _ = try await met(address, as: try liar.identity(boundTo: .init()))
            }
            let named = try await met(address)
            let request = NeighbourMessage.request(NeighbourHello.path, hello(of: "X").json)
            await #expect(throws: TLSStreamFailure.self) { try await named.exchange(request, until: end) }
            var all: [NeighbourConnection] = []
            for _ in 0...NeighbourLimits.connectionsOfTill { all.append(try await met(address)) }
            #expect(await isEnded(all[0]))
            run.take([own.terminalKey])
            for connection in all.dropFirst() { #expect(await isEnded(connection)) }
        }
    }

    @Test("What a till requests over two connections counts together, and what is too much waits")
    func paced() async throws {
        try await withRun { _, address in
            let both = [try await met(address), try await met(address)]
            let request = NeighbourMessage.request(NeighbourHello.path, hello(of: "L").json)
            let start = LinuxSystemTime(loop: loop).now()
            // Of each fewer than a connection may send.
            for index in 0...NeighbourLimits.requestsASecond {
                _ = try await both[index % 2].exchange(request, until: end)
            }
            #expect(LinuxSystemTime(loop: loop).now() - start >= .milliseconds(900))
        }
    }

    @Test("A connection whose till's key is withdrawn behind the handshake is ended before anything is said")
    func withdrawnBehindHandshake() async throws {
        // One that this till made.
        let place = try TCPListener(try #require(SocketAddress("127.0.0.1", defaultPort: 0)), on: loop)
        try await withRun(over: KeyTakingNetwork(loop), greeting: place.address) { _, _ in
            let came = try await #require(place.accept())
            let stream = try await TLSStream.accepted(
                came.descriptor, as: try liar.identity(), on: loop, until: end, accepts: { $0.name == "A" })
            #expect(await isEnded(NeighbourConnection(stream, to: "A")))
        }
        // One that the other made.
        try await withRun(over: KeyTakingNetwork(loop)) { run, address in
            let stream = try await TLSStream.connect(
                to: address, as: try liar.identity(), on: loop, until: end, accepts: { $0.name == "A" })
            #expect(await isEnded(NeighbourConnection(stream, to: "A")))
        }
    }

    @Test("An older disk is news once in each epoch")
    func newsOnce() async throws {
        let own = own
        let head = try own.head(of: own.id, 5)
        let witness = OwnWitness(
            terminalId: own.id, publicKey: own.publicKey, head: { head }, hash: { _ in head.hash })
        #expect(await witness.take(try own.head(of: own.id, 6)) == 5)
        #expect(await witness.take(try own.head(of: own.id, 7)) == nil)
        #expect(witness.ahead?.sequence == 7)
    }

    @Test("What a till has seen of another one survives a start, and is shown before it takes a new end")
    func witnessSurvives() async throws {
        let folder = try TemporaryFolder()
        let file = WitnessFile(path: folder.path("witnessed.json"))
        try await withRun(keepingIn: file) { run, address in
            #expect(try await greet(address, head: try liar.head(of: "L", 9)) == nil)
            _ = try await eventually { run.driver.withMachine { $0.head(of: "L") } }
            #expect(try await greet(address)?.sequence == 9)
        }
        try await withRun(keepingIn: file) { run, address in
            // The liar runs from an older disk, and has gone on from there.
            #expect(try await greet(address, head: try liar.head(of: "L", 11))?.sequence == 9)
            _ = try await eventually {
                run.driver.withMachine { $0.head(of: "L") }.flatMap { $0.sequence == 11 ? $0 : nil }
            }
            #expect(try await greet(address)?.sequence == 11)
        }
        #expect(await file.load()["L"]?.sequence == 11)
    }

    @Test("A port that is taken is said, and tried again after a minute and no earlier")
    func takenPort() async throws {
        var holder: TCPListener? = try TCPListener(
            try #require(SocketAddress("127.0.0.1", defaultPort: 0)), on: loop)
        let (place, clock) = (try #require(holder?.address), HandClock())
        let run = try await run(at: place, time: clock)
        let work = Task { await run.run() }
        defer { work.cancel() }
        let said = try await eventually { run.findings.notListening.first }
        #expect(said.hasPrefix("\(place): "))
        holder = nil
        for _ in 0..<5 { try await pass(.seconds(10), on: clock) }
        #expect(run.findings.listening == [] && run.findings.notListening == [said])
        try await pass(.seconds(10), on: clock)
        #expect(run.findings.listening == [place] && run.findings.notListening == [])
    }

    /// Moves the clock from one look at the addresses to the next, and returns when that is over.
    private func pass(_ step: Duration, on clock: HandClock) async throws {
        _ = try await eventually { clock.alarms.first { $0 == clock.now() + step } }
        clock.advance(by: step)
        _ = try await eventually { clock.alarms.first { $0 == clock.now() + step } }
    }

    @Test("Strangers who fill every place that they get keep no till of the store out")
    func strangers() async throws {
        try await withRun { run, address in
            // They are in the queue of the socket before it is, and are taken in that order.
            let silent = (1...60).map { Stranger(from: "127.0.\($0 % 4 + 1).\($0)", to: address.port) }
            for _ in 0..<3 { try await greet(address, trying: 3) }
            withExtendedLifetime(silent) {}
        }
    }

    /// A handshake has four seconds, which a busy computer may need for something else.
    private func greet(_ address: SocketAddress, trying times: Int) async throws {
        for left in (0..<times).reversed() {
            do {
                try await greet(address, seen: try own.head(of: "A", 5))
                return
            } catch  where left > 0 {}
        }
    }
}

/// Connects from an address of its own and says nothing.
private final class Stranger {
    private let descriptor: Int32

    init(from source: String, to port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        func address(_ host: String, _ port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            return address
        }
        func call(_ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) {
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        call(address(source, 0)) { bind(descriptor, $0, $1) }
        call(address("127.0.0.1", port)) { connect(descriptor, $0, $1) }
    }

    deinit { close(descriptor) }
}
