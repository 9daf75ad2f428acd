import Agent
import Base
import Glibc
import HubProtocol
import LinuxRuntime
import MachineRuntime
import PinnedTLS
import Synchronization

/// The network between the tills of each store. What it does to a connection follows from the faults that act
/// on the tills at its ends at that moment.
@MainActor
final class StoreNetwork {
    /// Where tills listen.
    nonisolated let entrances = Mutex<[SocketAddress: StoreEntrance]>([:])
    private let world: World
    /// How many faults of each kind act on each till.
    private var acting: [Int: [FaultKind: Int]] = [:]
    private var lines: [StoreLine] = []
    private var draw: SplitMix64

    init(_ world: World) {
        self.world = world
        draw = SplitMix64(seed: world.schedule.seed &+ 0x57)
    }

    /// The address of a till, by its number.
    nonisolated static func address(of till: Int) -> SocketAddress {
        guard let address = SocketAddress("10.0.0.\(10 + till)", defaultPort: NeighbourLimits.port) else {
            preconditionFailure("a till has no address")
        }
        return address
    }

    func begin(_ kind: FaultKind, at till: Int) { acting[till, default: [:]][kind, default: 0] += 1 }

    func end(_ kind: FaultKind, at till: Int) { acting[till, default: [:]][kind, default: 1] -= 1 }

    /// The process of a till is gone: its connections are, too.
    func cut(_ till: Int) {
        entrances.withLock { all in
            for (address, entrance) in all where entrance.till == till { all[address] = nil }
        }
        for line in lines where line.tills.contains(till) { line.shut() }
        lines.removeAll(where: \.isShut)
    }

    /// Whether bytes of one till reach another one.
    func passes(from till: Int, to other: Int) -> Bool {
        let kind: FaultKind
        if isActing(.neighboursCut, at: till) || isActing(.neighboursCut, at: other) {
            kind = .neighboursCut
        } else if isActing(.neighboursDeaf, at: other) {
            kind = .neighboursDeaf
        } else {
            return true
        }
        world.count(kind)
        return false
    }

    /// How long bytes are on their way between two tills.
    func delay(between till: Int, and other: Int) -> Duration {
        guard isActing(.neighboursSlow, at: till) || isActing(.neighboursSlow, at: other) else {
            return .milliseconds(1 + Int(draw.below(4)))
        }
        world.count(.neighboursSlow)
        // Within a claim's wait, beyond it, and beyond what an exchange may take.
        return .milliseconds([300, 1_500, 12_000][Int(draw.below(3))])
    }

    private func isActing(_ kind: FaultKind, at till: Int) -> Bool {
        acting[till]?[kind, default: 0] ?? 0 > 0
    }

    fileprivate func connect(_ attempt: StoreAttempt, to address: SocketAddress, by time: SimulatedTime) async
    {
        guard let entrance = entrances.withLock({ $0[address] }) else {
            attempt.refused()
            return
        }
        // Nobody says that a way is cut.
        guard world.tills[attempt.till].storeId == world.tills[entrance.till].storeId,
            passes(from: attempt.till, to: entrance.till), passes(from: entrance.till, to: attempt.till)
        else { return }
        let delay = delay(between: attempt.till, and: entrance.till)
        try? await time.sleep(until: time.now() + delay)
        entrance.attempts.yield(attempt)
    }

    fileprivate func time(of till: Int) -> SimulatedTime { world.tills[till].time }

    fileprivate func line(between till: Int, and other: Int) -> StoreLine {
        lines.removeAll(where: \.isShut)
        let line = StoreLine(self, tills: [till, other], time: world.tills[till].time.base)
        lines.append(line)
        return line
    }
}

/// Where a till listens.
final class StoreEntrance: Sendable {
    let till: Int
    let attempts: AsyncStream<StoreAttempt>.Continuation
    fileprivate let arrivals: AsyncStream<StoreAttempt>

    fileprivate init(till: Int) {
        self.till = till
        (arrivals, attempts) = AsyncStream.makeStream(of: StoreAttempt.self)
    }
}

/// An attempt of a till to connect to another one.
final class StoreAttempt: Sendable {
    let till: Int
    fileprivate let claim: TLSClaim
    fileprivate let accepts: @Sendable (TLSClaim) -> Bool
    fileprivate let results: AsyncStream<Result<StoreLineEnd, TLSStreamFailure>>
    private let result: AsyncStream<Result<StoreLineEnd, TLSStreamFailure>>.Continuation

    fileprivate init(till: Int, claim: TLSClaim, accepts: @escaping @Sendable (TLSClaim) -> Bool) {
        (self.till, self.claim, self.accepts) = (till, claim, accepts)
        (results, result) = AsyncStream.makeStream(of: Result<StoreLineEnd, TLSStreamFailure>.self)
    }

    fileprivate func refused() { result.yield(.failure(.notConnected(code: ECONNREFUSED))) }
    fileprivate func ended() { result.yield(.failure(.handshakeFailed)) }
    fileprivate func opened(_ end: StoreLineEnd) { result.yield(.success(end)) }
}

/// A connection between two tills.
@MainActor
final class StoreLine {
    /// Who connected, and to whom.
    let tills: [Int]
    private(set) var isShut = false
    private let network: StoreNetwork
    private let time: LinuxSystemTime
    private let arrivals: [AsyncStream<[UInt8]>]
    private let arriving: [AsyncStream<[UInt8]>.Continuation]
    /// Since when nothing of a side arrives any more: what was lost is not sent again.
    private var isLost = [false, false]
    /// When the last bytes of each side arrive.
    private var last: [Instant]

    fileprivate init(_ network: StoreNetwork, tills: [Int], time: LinuxSystemTime) {
        (self.network, self.tills, self.time) = (network, tills, time)
        let pipes = tills.map { _ in AsyncStream.makeStream(of: [UInt8].self) }
        (arrivals, arriving) = (pipes.map(\.stream), pipes.map(\.continuation))
        last = tills.map { _ in time.now() }
    }

    /// The end of who connected (0), or of whom it was connected to (1).
    fileprivate func end(_ side: Int, peer: TLSClaim, by time: SimulatedTime) -> StoreLineEnd {
        StoreLineEnd(line: self, side: side, claim: peer, arrivals: arrivals[side], time: time)
    }

    /// Sends bytes of one side; nil: that it has closed.
    fileprivate func send(_ bytes: [UInt8]?, of side: Int) -> Bool {
        guard !isShut else { return false }
        let other = 1 - side
        if !network.passes(from: tills[side], to: tills[other]) { isLost[side] = true }
        guard !isLost[side] else { return true }
        last[side] = max(last[side], time.now() + network.delay(between: tills[side], and: tills[other]))
        let moment = last[side]
        Task {
            try? await time.sleep(until: moment)
            guard !isShut else { return }
            if let bytes { arriving[other].yield(bytes) } else { arriving[other].finish() }
        }
        return true
    }

    fileprivate func close(_ side: Int) {
        _ = send(nil, of: side)
        arriving[side].finish()
    }

    /// Both sides are at its end.
    fileprivate func shut() {
        isShut = true
        for pipe in arriving { pipe.finish() }
    }
}

/// One end of a connection between two tills.
struct StoreLineEnd: NeighbourStream {
    fileprivate let line: StoreLine
    fileprivate let side: Int
    fileprivate let claim: TLSClaim
    fileprivate let arrivals: AsyncStream<[UInt8]>
    fileprivate let time: SimulatedTime

    var peer: TLSClaim? { claim }

    func send(_ bytes: [UInt8], until end: Instant) async throws(TLSStreamFailure) {
        guard await line.send(bytes, of: side) else { throw .broken }
    }

    func receive(until end: Instant?) async throws(TLSStreamFailure) -> [UInt8] {
        let arrivals = arrivals
        let next: @Sendable () async -> [UInt8]? = {
            var iterator = arrivals.makeAsyncIterator()
            return await iterator.next()
        }
        guard let end else { return await next() ?? [] }
        guard let bytes = await untilDeadline(end, on: time, next) else {
            throw Task.isCancelled ? .broken : .timedOut
        }
        return bytes ?? []
    }

    func close() async { await line.close(side) }
}

/// The way of one till to the others.
struct TillNetwork: NeighbourNetwork {
    let network: StoreNetwork
    let till: Int
    let time: SimulatedTime

    func addresses(of interfaces: Set<String>) -> [SocketAddress] { [StoreNetwork.address(of: till)] }

    func listen(at address: SocketAddress) throws(TLSStreamFailure) -> any NeighbourListener {
        let entrance = StoreEntrance(till: till)
        network.entrances.withLock { $0[address] = entrance }
        return TillListener(address: address, entrance: entrance, network: self)
    }

    func connect(
        to address: SocketAddress, as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream {
        let attempt = StoreAttempt(till: till, claim: identity.claim, accepts: accepts)
        let (network, time) = (network, time)
        let result = await untilDeadline(end, on: time) { () -> Result<StoreLineEnd, TLSStreamFailure>? in
            await network.connect(attempt, to: address, by: time)
            var iterator = attempt.results.makeAsyncIterator()
            return await iterator.next()
        }
        guard let result, let result else { throw Task.isCancelled ? .broken : .timedOut }
        return try result.get()
    }
}

private struct TillListener: NeighbourListener {
    let address: SocketAddress
    let entrance: StoreEntrance
    let network: TillNetwork

    func next() async throws(TLSStreamFailure) -> (any NeighbourVisitor)? {
        var iterator = entrance.arrivals.makeAsyncIterator()
        guard let attempt = await iterator.next() else {
            network.network.entrances.withLock { all in
                if all[address] === entrance { all[address] = nil }
            }
            return nil
        }
        return TillVisitor(attempt: attempt, host: network)
    }
}

private struct TillVisitor: NeighbourVisitor {
    let attempt: StoreAttempt
    let host: TillNetwork

    var from: SocketAddress { StoreNetwork.address(of: attempt.till).with(port: 40_000) }

    func enter(
        as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream {
        guard accepts(attempt.claim), attempt.accepts(identity.claim) else {
            attempt.ended()
            throw .handshakeFailed
        }
        let line = await host.network.line(between: attempt.till, and: host.till)
        attempt.opened(await line.end(0, peer: identity.claim, by: await host.network.time(of: attempt.till)))
        return await line.end(1, peer: attempt.claim, by: host.time)
    }

    func turnAway() { attempt.ended() }
}
