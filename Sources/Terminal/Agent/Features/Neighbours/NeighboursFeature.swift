internal import AgentAPI
internal import Base
internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Neighbours
internal import OfflineCore
internal import OfflineMode
internal import PinnedTLS
internal import Retail
internal import Synchronization
internal import TerminalStore

/// The other tills of the store: who is there, and how it goes with them. Off unless the store turns it on,
/// and then nothing here runs.
final class NeighboursFeature: Sendable {
    private let foundation: AgentFoundation
    private let modes: ModesFeature
    private let isReader: Bool
    private let current = Mutex<NeighbourRun?>(nil)
    /// Where it listens has changed: the hub passes that on to the others.
    let moves: AsyncStream<Void>
    private let moved: AsyncStream<Void>.Continuation
    private let ownHello: OwnHello
    private let shop = Mutex<ShopOutlet?>(nil)

    /// - Parameter isReader: a command that only looks at the disk.
    init(_ foundation: AgentFoundation, _ modes: ModesFeature, isReader: Bool) {
        (self.foundation, self.modes, self.isReader) = (foundation, modes, isReader)
        (moves, moved) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var random = SystemRandomNumberGenerator()
        var begun = NeighbourHello()
        begun.terminalId = foundation.store.enrolment.terminalId
        begun.number = foundation.store.enrolment.terminalNumber
        begun.run = String(random.next(), radix: 36)
        begun.version = TerminalVersion.current
        ownHello = OwnHello(
            begun, foundation.store, revisions: foundation.revisions, time: foundation.time,
            head: foundation.link.heads.head, status: { [offline = modes.offline] in offline.status })
    }

    func connect(_ outlet: ShopOutlet) { shop.withLock { $0 = outlet } }

    /// The present time of seeing others; nil while it is off, and in a command that ends at once.
    var run: NeighbourRun? { current.withLock { $0 } }

    /// Whether the store wants it and nothing here is against it.
    var isEnabled: Bool { foundation.configuration.neighbours.isEnabled }

    var time: any SystemTime { foundation.time }

    /// Follows the store's setting and its keys until the task is cancelled.
    func follow() async {
        guard let network = foundation.neighbours, !isReader else { return }
        var work: Task<Void, Never>?
        for await _ in foundation.tuning.pulls.stream() {
            let wanted = foundation.configuration.neighbours
            if let run, wanted.isEnabled, run.settings == wanted {
                run.take(keys)
                continue
            }
            await end(work)
            work = wanted.isEnabled ? await begin(wanted, on: network) : nil
        }
        await end(work)
    }

    private func begin(
        _ settings: NeighbourSettings, on network: any NeighbourNetwork
    ) async -> Task<Void, Never>? {
        let identity: NeighbourIdentity
        do throws(TerminalError) {
            identity = try NeighbourIdentity(
                in: foundation.home, terminalId: foundation.store.enrolment.terminalId,
                key: foundation.link.heads.key)
        } catch {
            foundation.logger.error("the other tills are not seen: \(error.message)")
            return nil
        }
        let name = (try? await foundation.store.facts.fact(TokenKeeper.nameFact)) ?? nil
        ownHello.name.withLock { $0 = name.flatMap { String($0.printable.utf8.prefix(TextBound.name)) } }
        let file = WitnessFile(path: foundation.home.witnessedHeads)
        let runs = OwnRuns(foundation.store.outbox)
        let files = NoteFiles(folder: foundation.home.notes)
        let claims = await claims(files)
        let contents = CartContents(
            folder: foundation.home.cartsElsewhere, terminalId: foundation.store.enrolment.terminalId)
        let notes = await notes(settings, files, claims, contents)
        var around = surroundings(network, pieces(settings, runs), notes, claims, file, runs)
        around.cartContents = contents
        let run = NeighbourRun(settings, identity, around, witnessed: await file.load())
        current.withLock { $0 = run }
        foundation.revisions.advance()
        return Task { await run.run() }
    }

    private func end(_ work: Task<Void, Never>?) async {
        work?.cancel()
        await work?.value
        guard run != nil else { return }
        current.withLock { $0 = nil }
        foundation.revisions.advance()
    }

    /// Where this till listens, for the others of its store; nil: nowhere that they reach.
    func place() -> NeighbourPlace? {
        guard let listening = run?.findings.listening.filter(\.isPrivate), let first = listening.first else {
            return nil
        }
        return NeighbourPlace(
            addresses: listening.filter { $0.port == first.port }.map(\.host), port: Int64(first.port))
    }

    /// How many other tills have sales here that the hub has not had for a week.
    func keptOverdue() async -> Int { await run?.pieces?.keeper.overdue.count ?? 0 }

    private var keys: [TerminalKey] {
        foundation.store.copy.terminalKeys(of: foundation.store.enrolment.storeId)
    }

    /// Nil where the system has no room for a thread: nothing is kept then, and all else goes on.
    private func pieces(_ settings: NeighbourSettings, _ runs: OwnRuns) -> PieceExchange? {
        let (store, link, time) = (foundation.store, foundation.link, foundation.time)
        let keeper = PieceKeeper(
            folder: PieceFolder(path: foundation.home.keptPieces),
            capacity: Int64(settings.keepMegabytes) << 20,
            logger: foundation.logger, time: time)
        return try? PieceExchange(
            keeper: keeper,
            PieceSurroundings(
                terminalId: store.enrolment.terminalId, number: store.enrolment.terminalNumber,
                time: time,
                logger: foundation.logger,
                depth: {
                    guard let depth = try? await store.outbox.depth(),
                        let end = try? await store.facts.journalEnd()
                    else { return nil }
                    return (
                        PieceCopies.Extent(
                            epoch: depth.epoch, last: end.sequence,
                            acknowledgedThrough: depth.acknowledgedThrough),
                        depth.epochStart ?? 1, Int64(depth.pending)
                    )
                },
                entries: { after, through in
                    let limit = MutationBatch.maximumCount
                    return (try? await store.outbox.entries(after: after, through: through, limit: limit))
                        ?? []
                },
                head: link.heads.head, runs: runs,
                hubKey: { (try? await store.facts.hubKeys())?.sealing.first },
                sign: link.heads.key.sign, relay: { RelayEnd(await link.hub.relay($0)) },
                revisions: foundation.revisions,
                isOnline: { [offline = modes.offline] in offline.status.mode == .online },
                hasThreads: foundation.hasThreads))
    }

    /// Nil where the journal cannot be read.
    private func notes(
        _ settings: NeighbourSettings, _ files: NoteFiles, _ claims: ClaimExchange?,
        _ contents: CartContents
    ) async -> NoteExchange? {
        let (store, link, time) = (foundation.store, foundation.link, foundation.time)
        guard let epoch = (try? await store.facts.journalEnd())?.epoch else { return nil }
        let news = NoteNews(
            carts: SQLiteCarts(store.database), rights: SQLiteRights(store.database), outbox: store.outbox,
            now: { time.wallMilliseconds() })
        return await NoteExchange(
            NoteSurroundings(
                terminalId: store.enrolment.terminalId, time: time, logger: foundation.logger,
                files: files, epoch: epoch, wait: settings.wait,
                sign: link.heads.key.sign,
                journal: {
                    guard let end = try? await store.facts.journalEnd(),
                        let depth = try? await store.outbox.depth()
                    else { return nil }
                    return (
                        JournalMark(epoch: end.epoch, sequence: end.sequence, hash: end.hash),
                        depth.acknowledgedThrough
                    )
                }, news: news.requests, revisions: foundation.revisions, claims: claims,
                cartContents: contents))
    }

    /// Nil where the disk cannot be read: nothing is granted or claimed then.
    private func claims(_ files: NoteFiles) async -> ClaimExchange? {
        let (store, heads) = (foundation.store, foundation.link.heads)
        return try? await ClaimExchange(
            ClaimSurroundings(
                terminalId: store.enrolment.terminalId, time: foundation.time, logger: foundation.logger,
                files: files, rights: SQLiteRights(store.database), publicKey: heads.key.publicKey,
                isRecorded: { refundId in
                    guard !heads.unrecorded.contains(refundId) else { return nil }
                    do throws(StorageError) {
                        return try await store.orders.refund(id: refundId) != nil
                    } catch {
                        return nil
                    }
                }, changed: { [revisions = foundation.revisions] in revisions.advance() },
                leasesAtHand: { [self] in
                    guard await notConfirmedSince() == nil else { return nil }
                    return await shop.withLock { $0 }?.leasesAtHand() ?? []
                },
                hubAllows: { [self] inquiry in await shop.withLock { $0 }?.hubAllows(inquiry) },
                recorded: { [self] in
                    foundation.revisions.advance()
                    shop.withLock { $0 }?.recorded()
                }))
    }

    private func surroundings(
        _ network: any NeighbourNetwork, _ pieces: PieceExchange?, _ notes: NoteExchange?,
        _ claims: ClaimExchange?,
        _ file: WitnessFile, _ runs: OwnRuns
    ) -> NeighbourSurroundings {
        NeighbourSurroundings(
            terminalId: foundation.store.enrolment.terminalId, network: network, time: foundation.time,
            modes: { [offline = modes.offline] in offline.statuses() }, logger: foundation.logger,
            ownHello: ownHello.callAsFunction, keys: { [self] in keys },
            witness: OwnWitness(
                terminalId: foundation.store.enrolment.terminalId,
                publicKey: foundation.link.heads.key.publicKey, head: foundation.link.heads.head,
                hash: runs.hash(at:)),
            revisions: foundation.revisions, moved: { [moved] in moved.yield() }, pieces: pieces,
            notes: notes, claims: claims,
            metered: Set(foundation.configuration.meteredInterfaces), witnessFile: file)
    }
}

/// What this till's sales and orders have to do with its rights.
struct ShopOutlet: Sendable {
    /// Leases that sales are about to spend.
    let leasesAtHand: @Sendable () async -> Set<String>
    /// As ``ClaimSurroundings/hubAllows``.
    let hubAllows: @Sendable (RefundInquiry) async -> Bool?
    /// The journal has a new entry.
    let recorded: @Sendable () -> Void
}

/// What people and programs see of it.
extension NeighboursFeature {
    func document() async -> NeighboursCall.Response {
        var response = NeighboursCall.Response()
        response.isEnabled = isEnabled
        guard let run else { return response }
        let findings = run.findings
        response.listening = findings.listening.map(\.description)
        response.notListening = findings.notListening
        response.refused = findings.refused
        response.isBehind = run.isBehind
        response.notConfirmedSince = await notConfirmedSince()
        response.neighbours = run.driver.withMachine { watch in
            watch.neighbours.map { till($0, watch.state(of: $0)) }
        }
        let carts = run.notes?.carts ?? [:]
        for index in response.neighbours.indices {
            let kept = await run.pieces?.keeper.kept(of: response.neighbours[index].terminalId)
            response.neighbours[index].weKeep = kept?.entries ?? 0
            response.neighbours[index].carts = (carts[response.neighbours[index].terminalId] ?? []).map {
                .init(id: $0.id, name: $0.name, count: $0.count, total: $0.total)
            }
        }
        response.overdue = await run.pieces?.keeper.overdue.sorted() ?? []
        return response
    }

    /// When the hub last confirmed the keys of the others, in RFC 3339, where that is too long ago; nil: it
    /// is not.
    func notConfirmedSince() async -> String? {
        let confirmedAt = await PullRecordStore.read(foundation.store.facts).lastGoodAt
        return NeighbourTrust.notConfirmedSince(
            confirmedAt, days: foundation.configuration.neighbours.trustDays,
            at: foundation.time.wallMilliseconds()
        ).map(Timestamp.text(milliseconds:))
    }

    /// Nil while it is off.
    var counts: NeighbourCounts? {
        run?.driver.withMachine { watch in
            let states = watch.neighbours.map(watch.state)
            return NeighbourCounts(
                reachable: Int64(states.count { $0 == .reachable }),
                silent: Int64(states.count { $0 == .silent }),
                unknown: Int64(states.count { $0 == .unknown }))
        }
    }

    /// How many entries that wait have a copy at another till; nil while it is off.
    func copied(_ depth: OutboxDepth) -> Int64? {
        run?.pieces.map { min(Int64(depth.pending), $0.copied(beyond: depth.acknowledgedThrough)) }
    }

    private func till(_ neighbour: Neighbour, _ state: Neighbour.State) -> NeighboursCall.Till {
        var till = NeighboursCall.Till()
        till.terminalId = neighbour.terminalId
        till.address = neighbour.address
        switch state {
        case .reachable: till.state = .reachable
        case .silent: till.state = .silent
        case .unknown: till.state = .unknown
        }
        guard let hello = neighbour.hello, let heardAt = neighbour.heardAt else { return till }
        let heard = foundation.time.wallMilliseconds(of: heardAt)
        till.number = hello.number
        till.name = hello.name
        till.heardAt = Timestamp.text(milliseconds: heard)
        till.mode = hello.mode.rawValue
        till.pending = hello.pending
        till.keepsForUs = hello.kept?.entries ?? 0
        till.clockOffMilliseconds = hello.at - heard
        till.version = hello.version
        return till
    }
}
