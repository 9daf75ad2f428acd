internal import Base
internal import Credentials
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Neighbours
internal import PinnedTLS
internal import Synchronization
internal import TerminalStore

/// What safekeeping needs of the agent.
struct PieceSurroundings: Sendable {
    let terminalId: String
    /// Within the store.
    let number: Int64
    let time: any SystemTime
    let logger: Logger
    /// How far this till's journal has come; nil where that cannot be read.
    let depth: @Sendable () async -> (extent: PieceCopies.Extent, epochStart: Int64, pending: Int64)?
    /// The entries behind a sequence up to another one, in order without a gap.
    let entries: @Sendable (_ after: Int64, _ through: Int64) async -> [(sequence: Int64, body: [UInt8])]
    let head: @Sendable () async -> SignedHead?
    /// What others keep that this till's journal has.
    let runs: OwnRuns
    /// What the hub opens pieces with; nil: it named none.
    let hubKey: @Sendable () async -> HubPublicKey?
    let sign: @Sendable ([UInt8]) -> String?
    /// Hands something of another till to the hub.
    let relay: @Sendable (HandedIn) async -> RelayEnd
    /// What changes in this till.
    let revisions: StatusRevisions
    let isOnline: @Sendable () -> Bool
    /// Whether disk work goes to a thread of its own.
    var hasThreads = true
}

/// A neighbour that is there.
struct PieceNeighbour: Sendable {
    let terminalId: String
    /// Within the store.
    let number: Int64
    /// Of its agent's present start.
    let run: String
    /// What it says that it keeps of this till.
    let kept: [KeptRun]
    /// When it did.
    let heardAt: Instant
    /// Where it was reached.
    let address: SocketAddress
}

/// The copies that this till's entries have at others, and what it keeps of others, until the run ends.
///
/// No sale waits for anything of it.
final class PieceExchange: Sendable {
    let keeper: PieceKeeper
    private let around: PieceSurroundings
    private let copies: Mutex<PieceCopies>
    /// Turns of both loops; a change of the mode or a new piece ends a wait.
    private let turns: StatusRevisions
    /// Pieces that the hub took without covering them, and when they are handed in again.
    private let settled = Mutex<[KeptPiece.ID: Instant]>([:])
    /// The ends of others' journals that the hub was shown, and from when on it is shown later ones.
    private let shown = Mutex<[String: (head: SignedHead, until: Instant)]>([:])
    /// Disk work, apart from the threads of sales; nil: it is done where it comes up.
    private let background: BackgroundThread?

    init(keeper: PieceKeeper, _ around: PieceSurroundings) throws(TerminalError) {
        (self.keeper, self.around) = (keeper, around)
        copies = Mutex(PieceCopies(number: around.number))
        turns = StatusRevisions(time: around.time)
        background = around.hasThreads ? try BackgroundThread() : nil
    }

    private func apart<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        if let background { await background.run(work) } else { await work() }
    }

    /// Ends a wait of the loops.
    func hurry() { turns.advance() }

    /// How many entries that wait have a copy.
    func copied(beyond acknowledgedThrough: Int64) -> Int64 {
        copies.withLock { $0.copied(beyond: acknowledgedThrough) }
    }

    /// Takes a piece of another till.
    func take(_ bytes: [UInt8], of maker: String, key: String, makers: Int) async -> PieceKeeper.Answer {
        let answer = await apart { [keeper] in
            await keeper.take(bytes, of: maker, key: key, makers: makers)
        }
        if answer == .kept { hurry() }
        return answer
    }

    /// Takes what a till says of its entries that are kept here: what the hub has is deleted, and what its
    /// journal does not have is handed in.
    func take(_ coverages: [RunCoverage], of maker: String) async {
        guard !coverages.isEmpty else { return }
        let isNews = await apart { [keeper] in await keeper.take(coverages, of: maker) }
        if isNews { hurry() }
    }

    /// What this till's journal has of the runs that another one keeps.
    func coverages(of runs: [KeptRun], acknowledgedThrough: Int64) async -> [RunCoverage] {
        await around.runs.coverages(of: runs, acknowledgedThrough: acknowledgedThrough)
    }

    /// - Parameters:
    ///   - heads: the furthest ends of others' journals that were seen.
    ///   - way: sends a piece to a neighbour, and gives its answer; nil: none came.
    func run(
        neighbours: @escaping @Sendable () -> [PieceNeighbour],
        maker: @escaping @Sendable (String) -> Relaying.Maker,
        heads: @escaping @Sendable () -> [String: SignedHead],
        way: @escaping @Sendable ([UInt8], PieceNeighbour) async -> PieceKeeper.Answer?
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                while !Task.isCancelled {
                    let seen = around.revisions.current
                    let isWaited = await copy(to: neighbours(), way)
                    if !isWaited, around.isOnline() {
                        await around.revisions.wait(after: seen, limit: NeighbourLimits.onlineCopyInterval)
                    }
                    await rest()
                }
            }
            group.addTask { [self] in
                while !Task.isCancelled {
                    let turn = turns.current
                    if await handIn(maker, heads) {
                        await rest()
                    } else {
                        await turns.wait(after: turn, limit: NeighbourLimits.relayInterval)
                    }
                }
            }
        }
    }

    private func rest() async {
        try? await around.time.sleep(until: around.time.now() + NeighbourLimits.copyInterval)
    }
}

/// Copies of this till's own entries.
extension PieceExchange {
    /// - Returns: whether entries wait.
    private func copy(
        to neighbours: [PieceNeighbour],
        _ way: @escaping @Sendable ([UInt8], PieceNeighbour) async -> PieceKeeper.Answer?
    ) async -> Bool {
        guard let depth = await around.depth() else { return false }
        var keepers: [PossibleKeeper] = []
        for neighbour in neighbours {
            let coverages = await coverages(
                of: neighbour.kept, acknowledgedThrough: depth.extent.acknowledgedThrough)
            keepers.append(
                PossibleKeeper(
                    terminalId: neighbour.terminalId, number: neighbour.number, run: neighbour.run,
                    through: PieceCopies.reach(of: neighbour.kept, coverages, in: depth.extent),
                    heardAt: neighbour.heardAt))
        }
        let orders = copies.withLock {
            $0.tick(depth.extent, keepers: keepers, at: around.time.now())
        }
        await withDiscardingTaskGroup { group in
            for order in orders {
                guard let neighbour = neighbours.first(where: { $0.terminalId == order.keeper })
                else { continue }
                group.addTask { [self] in
                    let end = await deliver(order, depth.extent.epoch, depth.epochStart, to: neighbour, way)
                    copies.withLock { $0.ended(order.keeper, end, at: around.time.now()) }
                }
            }
        }
        return depth.pending > 0
    }

    private func deliver(
        _ order: PieceCopies.Order, _ epoch: Int64, _ epochStart: Int64, to neighbour: PieceNeighbour,
        _ way: @Sendable ([UInt8], PieceNeighbour) async -> PieceKeeper.Answer?
    ) async -> PieceCopies.End {
        guard let piece = await piece(of: order, epoch, epochStart) else { return .failed }
        switch await way(piece.bytes, neighbour) {
        case .kept: return .kept(through: piece.header.last)
        case .full: return .full
        case .refused, nil: return .failed
        }
    }

    private func piece(of order: PieceCopies.Order, _ epoch: Int64, _ epochStart: Int64) async -> SealedPiece?
    {
        let entries = await around.entries(order.after, order.through)
        guard let first = entries.first?.sequence, let key = await around.hubKey() else { return nil }
        var (bodies, size): ([[UInt8]], Int) = ([], 0)
        for entry in entries {
            size += entry.body.count + 1
            guard bodies.isEmpty || size <= NeighbourLimits.pieceBytes - Self.overhead else { break }
            bodies.append(entry.body)
        }
        guard let begin = bodies.first.flatMap(EntryLink.init(ofEntry:)),
            let end = bodies.last.flatMap(EntryLink.init(ofEntry:))
        else { return nil }
        let header = PieceHeader(
            terminalId: around.terminalId, epoch: epoch, epochStart: min(epochStart, first), first: first,
            last: first + Int64(bodies.count) - 1,
            link: EntryLink(hash: end.hash, previousHash: begin.previousHash), keyId: key.id,
            madeAt: around.time.wallMilliseconds())
        let body = MutationBatch.body(
            of: bodies, epoch: epoch, epochStart: header.epochStart, head: await around.head())
        return HubSeal.sealed(body, info: header.sealInfo, to: key.publicKey).flatMap {
            SealedPiece(header, ciphertext: $0, sign: around.sign)
        }
    }

    /// Header, head, key and signature of a piece take some 2,700 bytes.
    private static let overhead = 4 << 10
}

/// Handing in what is kept of others.
extension PieceExchange {
    /// Hands in, one after the other, what is left of the tills that want or need it: their pieces, and then
    /// where their journals ended.
    ///
    /// - Returns: whether there is more to hand in soon.
    private func handIn(
        _ maker: @Sendable (String) -> Relaying.Maker, _ heads: @Sendable () -> [String: SignedHead]
    ) async -> Bool {
        guard around.isOnline() else { return false }
        if let isMore = await handInPieces(maker) { return isMore }
        for (id, head) in heads().sorted(by: { $0.key < $1.key }) {
            let now = around.time.now()
            guard Relaying.isDue(maker(id), of: head.epoch, isForeign: false, at: now),
                shown.withLock({ $0[id].map { head.isAhead(of: $0.head) && $0.until <= now } ?? true })
            else { continue }
            guard around.isOnline() else { return false }
            guard let depth = await around.depth(), depth.pending == 0 else { return true }
            switch await around.relay(.head(WitnessedHead(head, of: id))) {
            case .covered, .worthless, .held, .settled:
                shown.withLock { $0[id] = (head, now + NeighbourLimits.headAgain) }
            case .failed: continue
            case .notNow: return false
            }
        }
        return false
    }

    /// - Returns: nil once all that are due were handed in; else as ``handIn(_:_:)``.
    private func handInPieces(_ maker: @Sendable (String) -> Relaying.Maker) async -> Bool? {
        let kept = await apart { [keeper] in await keeper.all }
        settled.withLock { settled in settled = settled.filter { id, _ in kept.contains { $0.id == id } } }
        // Whatever is wrong with one till's pieces keeps no other till's from being handed in.
        var failed: Set<String> = []
        for piece in kept where !failed.contains(piece.id.terminalId) {
            let now = around.time.now()
            let isForeign = await keeper.isForeign(piece.id)
            guard
                Relaying.isDue(
                    maker(piece.id.terminalId), of: piece.id.epoch, isForeign: isForeign, at: now),
                settled.withLock({ $0[piece.id].map { $0 <= now } ?? true })
            else { continue }
            // What this till has sold itself comes first, meanwhile too.
            guard around.isOnline() else { return false }
            guard let depth = await around.depth(), depth.pending == 0 else { return true }
            guard let bytes = await apart({ [keeper] in await keeper.bytes(of: piece.id) }) else {
                continue
            }
            switch await around.relay(.piece(bytes)) {
            case .covered: await apart { [keeper] in await keeper.delete([piece.id]) }
            case .worthless(let reason):
                around.logger.error("a piece of till \(piece.id.terminalId) is dropped: \(reason)")
                await apart { [keeper] in await keeper.delete([piece.id]) }
            case .held: settled.withLock { $0[piece.id] = now + NeighbourLimits.heldAgain }
            case .settled: settled.withLock { $0[piece.id] = now + NeighbourLimits.relayAgain }
            case .failed:
                failed.insert(piece.id.terminalId)
                settled.withLock { $0[piece.id] = now + NeighbourLimits.failedAgain }
            case .notNow: return false
            }
        }
        return nil
    }
}
