import Base
import Crypto
import Foundation
import HubProtocol
import Logging
import MachineRuntime
import Neighbours
import OfflineMode
import PinnedTLS
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// A till that says hello, and lets claims wait.
@Suite("Claims on a till that is silent", .timeLimit(.minutes(5)))
struct SilentOwnerTests {
    /// Responds to hellos, and to nothing else until the end of the wait.
    private final class Stream: NeighbourStream {
        let network: Network
        let last = Mutex<String?>(nil)

        init(_ network: Network) { self.network = network }

        var peer: TLSClaim? {
            get async {
                let bytes = NeighbourKey.signedBytes(terminalId: "L", key: [1])
                let proof = (try? Network.key.signature(for: bytes)).map { [UInt8]($0) }
                return TLSClaim(name: "L", key: [1], proof: proof ?? [])
            }
        }

        func send(_ bytes: [UInt8], until end: Instant) async throws(TLSStreamFailure) {
            var reader = NeighbourMessageReader()
            guard let message = try reader.take(bytes) else { return }
            last.withLock { $0 = message.path }
            network.requested.withLock { $0.append(message.path ?? "") }
        }

        func receive(until end: Instant?) async throws(TLSStreamFailure) -> [UInt8] {
            guard last.withLock({ $0 == NeighbourHello.path }) else {
                try? await network.time.sleep(until: end ?? network.time.now())
                throw .timedOut
            }
            return NeighbourMessage.response(200, Network.hello("L").json).bytes
        }

        func close() async {}
    }

    private final class Network: NeighbourNetwork {
        /// Of the other till.
        static let key = Curve25519.Signing.PrivateKey()
        let time: HandClock
        let requested = Mutex<[String]>([])

        init(_ time: HandClock) { self.time = time }

        static func hello(_ id: String) -> NeighbourHello {
            var hello = NeighbourHello()
            (hello.terminalId, hello.run, hello.version) = (id, "r", "1.0.0")
            return hello
        }

        func count(of path: String) -> Int { requested.withLock { $0.count { $0 == path } } }

        func addresses(of _: Set<String>) -> [SocketAddress] { [] }
        func listen(at _: SocketAddress) throws(TLSStreamFailure) -> any NeighbourListener {
            throw .notConnected(code: 1)
        }
        func connect(
            to _: SocketAddress, as _: NeighbourIdentity, until _: Instant,
            accepts _: @escaping @Sendable (TLSClaim) -> Bool
        ) async throws(TLSStreamFailure) -> any NeighbourStream { Stream(self) }
    }

    private func eventually(_ condition: () -> Bool) async throws {
        for _ in 0..<4_000 {
            if condition() { return }
            // Tasks go on by themselves; the till's clock stands still.
            try await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("what was awaited did not happen")
        throw CancellationError()
    }

    private func run(_ network: Network, _ claims: ClaimExchange) throws -> NeighbourRun {
        let claim = TLSClaim(name: "A", key: [], proof: [])
        let certificate = try #require(
            TLSIdentity(
                seed: [UInt8](repeating: 1, count: 32), name: "A", proof: [UInt8](repeating: 1, count: 64)))
        let place = try #require(SocketAddress("127.0.0.1:1", defaultPort: 0))
        let own = Network.key.publicKey.rawRepresentation.base64EncodedString()
        let keys = [("A", "A"), ("L", own)].map {
            TerminalKey(terminalId: $0.0, storeId: "S1", publicKey: $0.1)
        }
        return NeighbourRun(
            NeighbourSettings(isEnabled: true, listen: [], addresses: [place]),
            NeighbourIdentity(claim, certificate),
            NeighbourSurroundings(
                terminalId: "A", network: network, time: network.time, modes: { AsyncStream { _ in } },
                logger: Logger(label: "test"), ownHello: { Network.hello("A") }, keys: { keys },
                witness: OwnWitness(terminalId: "A", publicKey: "", head: { nil }, hash: { _ in nil }),
                revisions: StatusRevisions(time: network.time), claims: claims))
    }

    @Test("is waited for once, and again after its next hello")
    func once() async throws {
        let enrolled = try EnrolledHome()
        let database = try await enrolled.database(of: "A", in: "S1")
        defer { database.close() }
        let network = Network(HandClock())
        let claims = try await ClaimExchange(
            ClaimSurroundings(
                terminalId: "A", time: network.time, logger: Logger(label: "test"),
                files: NoteFiles(folder: enrolled.path), rights: SQLiteRights(database), publicKey: "",
                isRecorded: { _ in nil }))
        claims.take(StoreNotes(), isReady: true, epoch: 1)
        let run = try run(network, claims)
        let work = Task { await run.run() }
        try await eventually {
            network.time.advance(by: .milliseconds(100))
            return run.isReachable("L")
        }
        func want() -> (outcome: Task<ClaimOutcome, Never>, isOver: () -> Bool) {
            let over = Atomic()
            let claim = RightClaim(claimId: "C-1", kind: .cart, right: "C", origin: "L")
            let task = Task {
                let outcome = await claims.want(claim, of: "L")
                over.flag.withLock { $0 = true }
                return outcome
            }
            return (task, { over.flag.withLock { $0 } })
        }
        let first = want()
        try await eventually { network.count(of: RightClaim.path) == 1 }
        #expect(!first.isOver())
        network.time.advance(by: NeighbourLimits.claimWait)
        #expect(await first.outcome.value == .silent)
        // The clock stands still: whoever waits once more waits for ever.
        let second = want()
        try await eventually(second.isOver)
        #expect(await second.outcome.value == .silent && network.count(of: RightClaim.path) == 1)

        let hellos = network.count(of: NeighbourHello.path)
        try await eventually {
            network.time.advance(by: .seconds(2))
            return network.count(of: NeighbourHello.path) > hellos
        }
        try await eventually {
            network.time.advance(by: .milliseconds(1))
            _ = want()
            return network.count(of: RightClaim.path) == 2
        }
        work.cancel()
        await work.value
    }

    private final class Atomic: Sendable {
        let flag = Mutex(false)
    }
}
