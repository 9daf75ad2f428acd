import Base
import Credentials
import Crypto
import Foundation
import HubProtocol
import Logging
import MachineRuntime
import Neighbours
import PinnedTLS
import Synchronization
import TestKit
import Testing

@testable import Agent

/// What a till copies to others and hands in for them, with a clock that the test moves.
@Suite("Copies of entries, and handing them in")
struct PieceExchangeTests {
    private struct State {
        var isOnline = false
        var last: Int64 = 0
        var acknowledgedThrough: Int64 = 0
        var isWanted = true
        var end = RelayEnd.settled
        /// Of what the till with this id made, in the place of ``end``.
        var ends: [String: RelayEnd] = [:]
        var relayed = 0
        /// Whose pieces were handed in, and whose journals' ends.
        var makers: [String] = []
        var shown: [(id: String, sequence: Int64)] = []
        /// What was seen of others' journals.
        var heads: [String: SignedHead] = [:]
        /// Whether the way to the hub ends with the next piece.
        var isLastOne = false
        var delivered: [SealedPiece] = []
        /// What the neighbour says that it keeps, and when it did.
        var kept: [KeptRun] = []
        var heardAt = Instant(nanoseconds: 0)
    }

    private let clock = HandClock()
    private let folder: TemporaryFolder
    private let state = Shared()
    private let device = Curve25519.Signing.PrivateKey()
    private let hub = Curve25519.KeyAgreement.PrivateKey()
    private let revisions: StatusRevisions
    private let keeper: PieceKeeper
    private let exchange: PieceExchange

    private final class Shared: Sendable {
        let state = Mutex(State())
        func read<Value: Sendable>(_ value: (State) -> Value) -> Value { state.withLock { value($0) } }
        func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    }

    init() throws {
        folder = try TemporaryFolder()
        let (clock, state, device, hub) = (clock, state, device, hub)
        let revisions = StatusRevisions(time: clock)
        self.revisions = revisions
        keeper = PieceKeeper(
            folder: PieceFolder(path: folder.path("kept")), capacity: 1 << 20, logger: Logger(label: "test"),
            time: clock)
        let key = HubPublicKey(
            id: "k", publicKey: hub.publicKey.rawRepresentation.base64EncodedString(), notAfter: "")
        exchange = try PieceExchange(
            keeper: keeper,
            PieceSurroundings(
                terminalId: "A", number: 1, time: clock, logger: Logger(label: "test"),
                depth: {
                    let (last, acknowledged) = (state.read(\.last), state.read(\.acknowledgedThrough))
                    return (
                        .init(epoch: 1, last: last, acknowledgedThrough: acknowledged), 1, last - acknowledged
                    )
                },
                entries: { after, through in
                    (after..<through).map { before in
                        let link = EntryLink(hash: Self.hash(before + 1), previousHash: Self.hash(before))
                        return (sequence: before + 1, body: link.json.canonicalBytes)
                    }
                },
                head: { nil }, runs: OwnRuns { Self.hash($0) }, hubKey: { key },
                sign: { try? device.signature(for: Data($0)).base64EncodedString() },
                relay: { content in
                    state.state.withLock { state in
                        guard case .piece(let bytes) = content, let piece = try? SealedPiece(bytes) else {
                            if case .head(let head) = content,
                                let sequence = head.json["head"]?["sequence"]?.integer
                            {
                                state.shown.append((head.terminalId, sequence))
                            }
                            return state.end
                        }
                        state.relayed += 1
                        state.makers.append(piece.header.terminalId)
                        if let end = state.ends[piece.header.terminalId] { return end }
                        if state.isLastOne { state.isOnline = false }
                        return state.end
                    }
                },
                revisions: revisions, isOnline: { state.read(\.isOnline) }))
    }

    private static func hash(_ sequence: Int64) -> String {
        let digits = String(sequence, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Runs the exchange with one neighbour beside `body`.
    private func run(_ body: () async throws -> Void) async throws {
        let (exchange, state) = (exchange, state)
        let address = try #require(SocketAddress("10.0.0.2:7710", defaultPort: 0))
        let work = Task {
            await exchange.run(
                neighbours: {
                    let neighbour = PieceNeighbour(
                        terminalId: "B", number: 2, run: "r", kept: state.read(\.kept),
                        heardAt: state.read(\.heardAt), address: address)
                    return [neighbour]
                },
                maker: { _ in
                    .init(
                        wantsRelay: state.read(\.isWanted), isManual: false, heardAt: Instant(nanoseconds: 0))
                },
                heads: { state.read(\.heads) },
                way: { bytes, _ in
                    guard let piece = try? SealedPiece(bytes) else { return .refused }
                    state.change { $0.delivered.append(piece) }
                    return .kept
                })
        }
        defer { work.cancel() }
        try await body()
    }

    /// Both loops wait for the clock, which goes on then.
    private func pass(_ duration: Duration) async {
        await eventually { clock.alarms.count == 2 }
        clock.advance(by: duration)
        await eventually { clock.alarms.count == 2 }
    }

    private func keep(_ first: Int64, of id: String = "M") async throws {
        let maker = Curve25519.Signing.PrivateKey()
        let header = PieceHeader(
            terminalId: id, epoch: 1, epochStart: 1, first: first, last: first + 9,
            link: EntryLink(hash: Self.hash(first + 9), previousHash: Self.hash(first - 1)), keyId: "k",
            madeAt: 0)
        let piece = try #require(
            SealedPiece(header, ciphertext: [1, 2]) {
                try? maker.signature(for: Data($0)).base64EncodedString()
            })
        let key = maker.publicKey.rawRepresentation.base64EncodedString()
        #expect(await keeper.take(piece.bytes, of: id, key: key, makers: 2) == .kept)
    }

    private func see(_ sequence: Int64, of id: String) throws {
        let key = Curve25519.Signing.PrivateKey()
        let head = try #require(
            SignedHead(
                terminalId: id, epoch: 1, sequence: sequence, hash: Self.hash(sequence), orderCounter: 1,
                at: 0, sign: { try? key.signature(for: Data($0)).base64EncodedString() }))
        state.change { $0.heads[id] = head }
    }

    @Test("A keeper hands in behind its own entries and online alone, and what the hub has not settled later")
    func handingIn() async throws {
        try await keep(1)
        try await run {
            // Also where a person keeps it offline: then it relays nothing.
            for _ in 0..<2 { await pass(NeighbourLimits.relayInterval) }
            #expect(state.read(\.relayed) == 0)
            state.change { ($0.isOnline, $0.last) = (true, 3) }
            for _ in 0..<2 { await pass(NeighbourLimits.relayInterval) }
            #expect(state.read(\.relayed) == 0, "its own entries wait")
            state.change { $0.acknowledgedThrough = 3 }
            for _ in 0..<4 { await pass(NeighbourLimits.relayInterval) }
            #expect(state.read(\.relayed) == 1)
            await pass(NeighbourLimits.relayAgain)
            #expect(state.read(\.relayed) == 2)
            // The hub keeps it for a person: once a day is enough.
            state.change { $0.end = .held }
            await pass(NeighbourLimits.relayAgain)
            for _ in 0..<3 { await pass(NeighbourLimits.relayAgain) }
            #expect(state.read(\.relayed) == 3)
            #expect(await keeper.all.count == 1)
            state.change { $0.end = .covered }
            await pass(NeighbourLimits.heldAgain)
            #expect(state.read(\.relayed) == 4)
            #expect(await keeper.all == [])
        }
    }

    @Test("One till's pieces with which the hub fails keep no other till's from being handed in")
    func failing() async throws {
        for first: Int64 in [1, 11] { try await keep(first) }
        try await keep(1, of: "N")
        state.change { ($0.isOnline, $0.end, $0.ends["M"]) = (true, .covered, .failed) }
        try await run {
            await eventually { state.read(\.makers).count == 2 }
            await pass(.seconds(1))
            #expect(state.read(\.makers) == ["M", "N"])
            // The next one of the same till is tried meanwhile, and this one again later.
            await pass(NeighbourLimits.relayInterval)
            #expect(state.read(\.makers) == ["M", "N", "M"])
            state.change { $0.ends = [:] }
            for _ in 0..<6 { await pass(NeighbourLimits.relayInterval) }
            #expect(await keeper.all == [])
        }
    }

    @Test("Where the journal of a till that is gone ended is shown to the hub, with no piece of it, too")
    func heads() async throws {
        try see(7, of: "M")
        state.change { ($0.isOnline, $0.isWanted, $0.end) = (true, false, .covered) }
        try await run {
            for _ in 0..<2 { await pass(.seconds(60)) }
            #expect(state.read(\.shown).isEmpty, "it is heard, and says that itself")
            await pass(NeighbourLimits.silence)
            #expect(state.read(\.shown).map(\.sequence) == [7])
            for _ in 0..<3 { await pass(NeighbourLimits.headAgain) }
            #expect(state.read(\.shown).count == 1, "the hub knows it")
            try see(9, of: "M")
            try await keep(1)
            await pass(NeighbourLimits.relayInterval)
            #expect(state.read(\.shown).map(\.sequence) == [7, 9])
            #expect(state.read(\.makers) == ["M"])
            // One that sells on costs no more than a request in ten minutes.
            try see(10, of: "M")
            await pass(NeighbourLimits.relayInterval)
            #expect(state.read(\.shown).count == 2)
            await pass(NeighbourLimits.headAgain)
            #expect(state.read(\.shown).map(\.sequence) == [7, 9, 10])
        }
    }

    @Test("A way that ends, or a person who ends it, ends what is handed in with the piece that is under way")
    func endsBetweenPieces() async throws {
        for first: Int64 in [1, 11, 21] { try await keep(first) }
        state.change { ($0.isOnline, $0.isLastOne, $0.end) = (true, true, .covered) }
        try await run {
            await eventually { state.read(\.relayed) > 0 }
            for _ in 0..<2 { await pass(NeighbourLimits.relayInterval) }
            #expect(state.read(\.relayed) == 1)
            #expect(await keeper.all.count == 2)
        }
    }

    @Test("What has waited for five seconds goes to a neighbour as the body of a push, sealed to the hub")
    func copying() async throws {
        state.change { $0.last = 5 }
        try await run {
            await pass(NeighbourLimits.copyInterval)
            let piece = try #require(state.read(\.delivered).first)
            #expect(piece.header.first == 1 && piece.header.last == 5 && piece.header.terminalId == "A")
            #expect(piece.header.link == EntryLink(hash: Self.hash(5), previousHash: Self.hash(0)))
            #expect(piece.isSigned(by: device.publicKey.rawRepresentation.base64EncodedString()))
            let body = try #require(
                HubSeal.opened(
                    piece.ciphertext, info: piece.header.sealInfo, with: Array(hub.rawRepresentation)))
            let json = try JSONParser.parse(body)
            #expect(json["mutations"]?.array?.count == 5 && json["attachments"] == nil)
            await pass(NeighbourLimits.copyInterval)
            #expect(state.read(\.delivered).count == 1, "nothing new waits")
        }
    }

    @Test("Numbers that a keeper has of another disk are no copies; what it really has counts after a start")
    func otherDisk() async throws {
        let other = JournalMark(epoch: 1, sequence: 5, hash: Self.hash(1 << 40))
        let own = JournalMark(epoch: 1, sequence: 3, hash: Self.hash(3))
        state.change {
            ($0.last, $0.kept) = (5, [KeptRun(first: 1, end: other), KeptRun(first: 1, end: own)])
        }
        try await run {
            await pass(NeighbourLimits.copyInterval)
            #expect(exchange.copied(beyond: 0) == 5)
            #expect(state.read(\.delivered).map(\.header.first) == [4])
        }
    }

    @Test("What its maker's journal does not have is handed in, and what it has is deleted as the hub has it")
    func coverages() async throws {
        try await keep(1)
        try await keep(31)
        state.change { ($0.isOnline, $0.isWanted, $0.end) = (true, false, .covered) }
        try await run {
            for _ in 0..<2 { await pass(.seconds(60)) }
            #expect(state.read(\.relayed) == 0)
            await exchange.take([RunCoverage(hash: Self.hash(40), through: 40)], of: "M")
            #expect(await keeper.all.map(\.id.first) == [1])
            await exchange.take([RunCoverage(hash: Self.hash(10), through: nil)], of: "M")
            await eventually { state.read(\.relayed) == 1 }
            await eventually { await keeper.all.isEmpty }
        }
    }

    @Test("While the till is online, too, what the hub does not take soon is copied; an idle till only waits")
    func online() async throws {
        state.change { ($0.isOnline, $0.last, $0.acknowledgedThrough) = (true, 5, 5) }
        try await run {
            await pass(NeighbourLimits.onlineCopyInterval)
            #expect(state.read(\.delivered).isEmpty)
            await pass(NeighbourLimits.copyInterval)
            state.change { $0.last = 7 }
            revisions.advance()
            await eventually { clock.alarms.first == clock.now() + NeighbourLimits.copyInterval }
            for _ in 0..<4 { await pass(NeighbourLimits.copyInterval) }
            #expect(state.read(\.delivered).map(\.header.first) == [6])
        }
    }
}
