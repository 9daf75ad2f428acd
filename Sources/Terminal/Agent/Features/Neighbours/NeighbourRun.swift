internal import Base
internal import Glibc
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Neighbours
internal import OfflineCore
internal import OfflineMode
internal import PinnedTLS
internal import Synchronization
internal import TerminalStore

/// What a time of seeing other tills needs of the agent.
struct NeighbourSurroundings: Sendable {
    let terminalId: String
    let network: any NeighbourNetwork
    let time: any SystemTime
    /// Whether this till is online, now and at each change.
    let modes: @Sendable () -> AsyncStream<ModeStatus>
    let logger: Logger
    /// What this till says of itself, without what it has seen of the reader.
    let ownHello: @Sendable () async -> NeighbourHello
    /// The keys of the store's terminals, this one's too.
    let keys: @Sendable () -> [TerminalKey]
    /// What others have seen of this till's journal.
    let witness: OwnWitness
    /// What people see, and what this till's hello says.
    let revisions: StatusRevisions
    /// It listens somewhere else than before.
    var moved: @Sendable () -> Void = {}
    /// Copies of entries, its own and those of others; nil: none are made and none are kept.
    var pieces: PieceExchange?
    /// Notes of the store's tills; nil: none are written or pulled.
    var notes: NoteExchange?
    /// Rights of the store's tills; nil: none are granted or claimed.
    var claims: ClaimExchange?
    /// What is in others' parked carts; nil: it is not kept.
    var cartContents: CartContents?
    /// Interfaces that cost by volume: no copy goes over them.
    var metered: Set<String> = []
    /// Where the ends of others' journals are kept that this till has seen; nil: nowhere.
    var witnessFile: WitnessFile?
}

/// One time of seeing the other tills, from the moment when the store wants it until it does not any more.
final class NeighbourRun: Sendable {
    /// What is known beside the machine.
    struct Findings: Hashable, Sendable {
        var listening: [SocketAddress] = []
        /// Where it cannot listen, with the reason.
        var notListening: [String] = []
        /// Connections that ended with the handshake.
        var refused: Int64 = 0
        /// Since when its network is as it is.
        var placedAt: Instant
    }

    let settings: NeighbourSettings
    let driver: MachineDriver<NeighbourWatch>
    /// When it began.
    let began: Instant
    let identity: NeighbourIdentity
    let around: NeighbourSurroundings
    private let found: Mutex<Findings>
    /// Kept connections that this till made, by address.
    private let ways = Mutex<[String: NeighbourConnection]>([:])
    /// Connections that others made, the oldest first, and where they come from.
    private let guests = Mutex<[(connection: NeighbourConnection, from: SocketAddress)]>([])
    /// From when on the requests of a second count, and how many there were, by tills of the store.
    private let rates = Mutex<[String: (second: Instant, count: Int)]>([:])
    /// When tills let a claim wait for its whole time.
    let silences = Mutex(SilentTills())
    /// Where the others listen, as the hub says, by their ids.
    private let passedOn = Mutex<[String: [SocketAddress]]>([:])
    private let budget: Mutex<HandshakeBudget>
    /// Heads were seen that the disk does not have yet.
    private let headsMoved: AsyncStream<Void>
    private let moveHeads: AsyncStream<Void>.Continuation

    /// - Parameter witnessed: what ``NeighbourSurroundings/witnessFile`` has.
    init(
        _ settings: NeighbourSettings, _ identity: NeighbourIdentity, _ around: NeighbourSurroundings,
        witnessed: [String: SignedHead] = [:]
    ) {
        (self.settings, self.identity, self.around) = (settings, identity, around)
        began = around.time.now()
        found = Mutex(Findings(placedAt: began))
        budget = Mutex(HandshakeBudget(at: began))
        (headsMoved, moveHeads) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var seeds = SystemRandomNumberGenerator()
        driver = MachineDriver(
            NeighbourWatch(terminalId: around.terminalId, heads: witnessed, seed: seeds.next()),
            time: around.time
        ) { [.deadlineReached] }
    }

    /// Nil: no notes are written or pulled.
    var notes: NoteExchange? { around.notes }

    /// Nil: no rights are granted or claimed.
    var claims: ClaimExchange? { around.claims }

    /// Nil: what is in others' parked carts is not kept.
    var cartContents: CartContents? { around.cartContents }

    /// The other tills by their ids.
    var tills: [String: (number: Int64?, isReachable: Bool)] {
        driver.withMachine { watch in
            Dictionary(
                watch.neighbours.map {
                    ($0.terminalId, ($0.hello?.number, watch.state(of: $0) == .reachable))
                }
            ) { first, _ in first }
        }
    }

    func isReachable(_ terminalId: String) -> Bool { tills[terminalId]?.isReachable ?? false }

    /// Nil: no copies are made or kept.
    var pieces: PieceExchange? { around.pieces }

    var findings: Findings { found.withLock { $0 } }

    /// Whether another till has a signed end of this till's journal, or a note of it, that its disk does not
    /// have, and the hub gave it no new epoch since.
    var isBehind: Bool {
        let isAhead = around.witness.ahead.map { $0.epoch >= around.notes?.epoch ?? 0 } ?? false
        return isAhead || around.notes?.isBehind == true
    }

    /// Greets and is greeted until the task is cancelled; every connection has ended then.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await listen() }
            group.addTask { [self] in await followMode() }
            group.addTask { [self] in await followOwn() }
            if let pieces = around.pieces {
                group.addTask { [self] in
                    await pieces.run(
                        neighbours: neighbours, maker: maker,
                        heads: { [driver] in driver.withMachine { $0.heads } }, way: deliver)
                }
            }
            if let claims = around.claims { group.addTask { [self] in await claims.run(send: claim) } }
            if let notes = around.notes { group.addTask { [self] in await notes.run(pull: pull) } }
            if let contents = around.cartContents, let notes = around.notes {
                group.addTask { [self] in
                    await contents.run(around.time, notes: { notes.storeCarts }, fetch: fetch)
                }
            }
            if let file = around.witnessFile { group.addTask { [self] in await keepHeads(in: file) } }
            take(around.keys())
            await driver.run(in: &group) { _, effects, _ in
                effects.filter { effect in
                    switch effect {
                    case .greet: return true
                    case .leave(let address): leave(address)
                    case .pictureChanged:
                        around.revisions.advance()
                        around.cartContents?.nudge()
                    case .drop(let tills): drop(tills)
                    case .keepHeads: moveHeads.yield()
                    }
                    return false
                }
            } perform: { [self] effect, _ in
                if case .greet(let address) = effect { await greet(address) }
            }
        }
        drop(nil)
    }

    /// Takes the keys of the store's terminals, and where they listen.
    func take(_ keys: [TerminalKey]) {
        around.notes?.take(keys)
        let others = keys.filter { $0.terminalId != around.terminalId }
        driver.post(
            .keysChanged(Dictionary(others.map { ($0.terminalId, $0.publicKey) }) { first, _ in first }))
        let reported = others.map { key in
            let addresses = (key.neighbours?.addresses ?? []).compactMap {
                SocketAddress($0, defaultPort: UInt16(clamping: key.neighbours?.port ?? 0))
            }
            return (key.terminalId, addresses.filter(\.isPrivate))
        }
        passedOn.withLock { $0 = Dictionary(reported) { first, _ in first } }
        aim()
    }

    /// Has the machine greet the present addresses, and ends connections to others.
    private func aim() {
        let wanted = targets
        let ended = ways.withLock { ways in
            let others = ways.filter { !wanted.contains($0.key) }
            for address in others.keys { ways[address] = nil }
            return others.values
        }
        for connection in ended { Task { await connection.close() } }
        driver.post(.addressesChanged(wanted))
    }

    /// Writes what was witnessed, some seconds after it was, and once more at the end.
    private func keepHeads(in file: WitnessFile) async {
        var kept = driver.withMachine { $0.heads }
        func keep() async {
            let heads = driver.withMachine { $0.heads }
            guard heads != kept else { return }
            do throws(FileError) {
                try await file.save(heads)
                kept = heads
            } catch {
                around.logger.error("what was seen of other tills' journals was not kept: \(error)")
            }
        }
        for await _ in headsMoved {
            try? await around.time.sleep(until: around.time.now() + NeighbourLimits.witnessRest)
            await keep()
        }
        await keep()
    }

    private func followMode() async {
        for await status in around.modes() {
            driver.post(.modeChanged(isOnline: status.mode == .online))
            around.pieces?.hurry()
        }
    }

    /// Has what the others can witness or show said at once while the hub is away.
    private func followOwn() async {
        var said: (head: JSONValue?, shift: String?)
        while !Task.isCancelled {
            let seen = around.revisions.current
            let own = await around.ownHello()
            let end = own.head?["hash"]
            if own.mode == .offline, said != (end, own.shift) { driver.post(.ownMoved) }
            said = (end, own.shift)
            // Sales that follow each other are said at once.
            try? await around.time.sleep(until: around.time.now() + NeighbourLimits.newsRest)
            await around.revisions.wait(after: seen, limit: NeighbourLimits.noteRest)
        }
    }

    /// - Parameter tills: nil: all of them.
    private func drop(_ tills: Set<String>?) {
        let isLeft = { (connection: NeighbourConnection) in
            tills.map { !$0.contains(connection.terminalId) } ?? false
        }
        let ended =
            ways.withLock { ways in
                defer { ways = ways.filter { isLeft($0.value) } }
                return ways.values.filter { !isLeft($0) }
            } + guests.withLock { guests in guests.map(\.connection).filter { !isLeft($0) } }
        for connection in ended { Task { await connection.close() } }
    }

    /// Whether the device key of `claim`'s terminal, which the hub sent and has not withdrawn, signed its
    /// key.
    @Sendable func accepts(_ claim: TLSClaim) -> Bool {
        guard let key = driver.withMachine({ $0.key(of: claim.name) }) else { return false }
        return NeighbourKey.isBound(claim.key, to: claim.name, by: key, proof: claim.proof)
    }

    /// What this till says to `terminalId`.
    ///
    /// - Parameter kept: what that one keeps of this till, as it says just now; nil: as it said last.
    func hello(to terminalId: String, keeping kept: NeighbourKept? = nil) async -> NeighbourHello {
        var hello = await around.ownHello()
        hello.seen = driver.withMachine { $0.head(of: terminalId)?.json }
        hello.notes = around.notes?.heads ?? []
        if let pieces = around.pieces {
            hello.copied = min(hello.pending, pieces.copied(beyond: hello.acknowledgedThrough))
            hello.kept = await pieces.keeper.kept(of: terminalId)
            let kept = kept ?? driver.withMachine { $0.hello(of: terminalId)?.kept }
            hello.coverages = await pieces.coverages(
                of: kept?.runs ?? [], acknowledgedThrough: hello.acknowledgedThrough)
        }
        return hello
    }

    /// Takes what another till said, and looks at what it has seen of this one.
    ///
    /// - Returns: whether it is a hello of `terminalId`.
    private func take(
        _ document: JSONValue?, of terminalId: String, at address: String, isOurs: Bool
    ) async -> Bool {
        guard let hello = document.flatMap({ try? NeighbourHello(json: $0) }), hello.terminalId == terminalId
        else { return false }
        driver.post(.heard(hello, at: address, isOurs: isOurs))
        let head = hello.head.flatMap { try? SignedHead(json: $0) }
        around.notes?.take(hello, epoch: head?.epoch)
        await around.pieces?.take(hello.coverages, of: terminalId)
        if let seen = hello.seen.flatMap({ try? SignedHead(json: $0) }),
            let end = await around.witness.take(seen)
        {
            around.logger.critical(
                "till \(terminalId) has seen entry \(seen.sequence) of this till's journal, which its disk, that ends at \(end), does not have"
            )
            around.revisions.advance()
        }
        return true
    }
}

/// Greeting others.
extension NeighbourRun {
    private func greet(_ address: String) async {
        let end = around.time.now() + NeighbourLimits.exchange
        guard let target = SocketAddress(address, defaultPort: NeighbourLimits.port) else { return }
        do throws(TLSStreamFailure) {
            // One that was kept may have ended meanwhile without a sign.
            if let kept = ways.withLock({ $0[address] }), await isGreeted(kept, address, until: end) {
                return
            }
            let stream = try await around.network.connect(
                to: target, as: identity, until: end, accepts: accepts)
            guard let peer = await stream.peer else { throw .handshakeFailed }
            let connection = NeighbourConnection(stream, to: peer.name)
            ways.withLock { $0[address] = connection }
            guard targets.contains(address), accepts(peer) else {
                // Meanwhile the hub passed on another place, or withdrew the key before there was anything to
                // end.
                await leave(connection, address)
                return driver.post(.greetFailed(address))
            }
            guard await isGreeted(connection, address, until: end) else { throw .broken }
        } catch {
            driver.post(.greetFailed(address))
        }
    }

    private func isGreeted(
        _ connection: NeighbourConnection, _ address: String, until end: Instant
    ) async -> Bool {
        let request = NeighbourMessage.request(
            NeighbourHello.path, await hello(to: connection.terminalId).json)
        if let response = try? await connection.exchange(request, until: end), response.isGood,
            await take(response.document, of: connection.terminalId, at: address, isOurs: true)
        {
            return true
        }
        await leave(connection, address)
        return false
    }

    private func leave(_ address: String) {
        let ended = ways.withLock { $0.removeValue(forKey: address) }
        if let ended { Task { await ended.close() } }
    }

    private func leave(_ connection: NeighbourConnection, _ address: String) async {
        ways.withLock { if $0[address] === connection { $0[address] = nil } }
        await connection.close()
    }
}

/// Being greeted.
extension NeighbourRun {
    /// Between two looks at the machine's addresses. Half of it costs twice the wake-ups; with twice of it a
    /// till whose cable was plugged in is not found for twenty seconds.
    private static let look = Duration.seconds(10)
    /// Between two tries at a port that is taken.
    private static let retry = Duration.seconds(60)

    /// Listens wherever it is to, follows changes of the addresses, and has the machine greet others.
    private func listen() async {
        await withDiscardingTaskGroup { group in
            var serving: [SocketAddress: Task<Void, Never>] = [:]
            var triedAt: [SocketAddress: Instant] = [:]
            var last: [SocketAddress]?
            while !Task.isCancelled {
                let wanted = wantedAddresses
                for (address, task) in serving where !wanted.contains(address) {
                    task.cancel()
                    serving[address] = nil
                    found.withLock { $0.listening.removeAll { $0 == address } }
                }
                let now = around.time.now()
                for address in wanted where serving[address] == nil {
                    guard triedAt[address].map({ now - $0 >= Self.retry }) ?? true else { continue }
                    triedAt[address] = now
                    guard let listener = open(address) else { continue }
                    triedAt[address] = nil
                    let task = Task { [self] in await serve(listener) }
                    serving[address] = task
                    group.addTask {
                        await withTaskCancellationHandler {
                            await task.value
                        } onCancel: {
                            task.cancel()
                        }
                    }
                }
                if wanted != last {
                    found.withLock { $0.placedAt = now }
                    aim()
                    around.moved()
                    if last != nil { driver.post(.pathMoved) }
                    last = wanted
                }
                try? await around.time.sleep(until: now + Self.look)
            }
        }
    }

    /// Where it is to listen now.
    private var wantedAddresses: [SocketAddress] {
        guard settings.listen.isEmpty else { return settings.listen }
        return around.network.addresses(of: settings.interfaces)
    }

    /// Whether there is an address to greet anybody at.
    var knowsAddresses: Bool { !targets.isEmpty }

    /// Whom to greet: this till itself may stand in a list that all tills of a store have.
    private var targets: [String] {
        NeighbourAddresses.chosen(
            named: settings.addresses, of: passedOn.withLock { $0 }, without: Set(findings.listening)
        ).map(\.description)
    }

    private func open(_ address: SocketAddress) -> (any NeighbourListener)? {
        do throws(TLSStreamFailure) {
            let listener = try around.network.listen(at: address)
            found.withLock { found in
                found.listening.append(listener.address)
                found.notListening.removeAll { $0.hasPrefix("\(address): ") }
            }
            around.logger.notice("listening for the tills of the store at \(listener.address)")
            return listener
        } catch {
            var reason = "\(error)"
            if case .notConnected(let code) = error { reason = String(cString: strerror(code)) }
            let line = "\(address): \(reason)"
            let isNews = found.withLock { found in
                guard !found.notListening.contains(line) else { return false }
                found.notListening.append(line)
                return true
            }
            if isNews { around.logger.warning("cannot listen at \(line); tried again every 60 s") }
            return nil
        }
    }

    private func serve(_ listener: any NeighbourListener) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do throws(TLSStreamFailure) {
                    guard let visitor = try await listener.next() else { return }
                    guard hasRoom(for: visitor.from) else {
                        visitor.turnAway()
                        continue
                    }
                    group.addTask { [self] in await welcome(visitor) }
                } catch {
                    try? await around.time.sleep(until: around.time.now() + .seconds(1))
                }
            }
        }
    }

    /// Whether one more handshake may begin. A till of the store is expected at the addresses that the hub
    /// passed on or a person named, and where one has proven its key.
    private func hasRoom(for source: SocketAddress) -> Bool {
        let isExpected =
            (settings.addresses + passedOn.withLock { $0.values.joined() })
            .contains { $0.bytes == source.bytes }
            || guests.withLock { guests in guests.contains { $0.from.bytes == source.bytes } }
        return budget.withLock {
            $0.begin(from: source.bytes, isExpected: isExpected, at: around.time.now())
        }
    }

    private func welcome(_ visitor: any NeighbourVisitor) async {
        let from = visitor.from
        let stream: any NeighbourStream
        do throws(TLSStreamFailure) {
            defer { budget.withLock { $0.end(from: from.bytes) } }
            stream = try await visitor.enter(
                as: identity, until: around.time.now() + NeighbourLimits.exchange, accepts: accepts)
        } catch {
            return found.withLock { $0.refused += 1 }
        }
        guard let peer = await stream.peer else { return }
        let guest = NeighbourConnection(stream, to: peer.name)
        for replaced in enter(guest, from) { await replaced.close() }
        // A key that was withdrawn before found nothing to end.
        if accepts(peer) { await respond(to: guest, at: from.description) }
        guests.withLock { $0.removeAll { $0.connection === guest } }
        await guest.close()
    }

    /// - Returns: connections of the same till that end for this one.
    private func enter(_ guest: NeighbourConnection, _ from: SocketAddress) -> [NeighbourConnection] {
        guests.withLock { guests in
            guests.append((guest, from))
            let own = guests.map(\.connection).filter { $0.terminalId == guest.terminalId }
            return Array(own.dropLast(NeighbourLimits.connectionsOfTill))
        }
    }

    /// What a till sends over several connections, or over new ones, beyond its requests of a second waits.
    private func pace(_ terminalId: String) async {
        let now = around.time.now()
        let turn = rates.withLock { rates in
            var rate = rates[terminalId] ?? (now, 0)
            if now - rate.second >= .seconds(1) { rate = (now, 0) }
            rate.count += 1
            if rate.count > NeighbourLimits.requestsASecond { rate = (rate.second + .seconds(1), 1) }
            rates[terminalId] = rate
            return rate.second
        }
        if turn > now { try? await around.time.sleep(until: turn) }
    }

    /// Responds until the connection ends, a key is withdrawn, or a till sends what tills do not send.
    private func respond(to guest: NeighbourConnection, at address: String) async {
        var (second, count) = (around.time.now(), 0)
        while let request = try? await guest.next(until: around.time.now() + NeighbourLimits.idle) {
            let now = around.time.now()
            if now - second >= .seconds(1) { (second, count) = (now, 0) }
            count += 1
            guard count <= NeighbourLimits.requestsASecond else { return }
            await pace(guest.terminalId)
            guard
                let key = driver.withMachine({ $0.key(of: guest.terminalId) }),
                let response = await response(to: request, of: guest.terminalId, key, at: address)
            else { return }
            guard (try? await guest.send(response, until: now + NeighbourLimits.exchange)) != nil else {
                return
            }
        }
    }
}

/// Copies of entries.
extension NeighbourRun {
    /// - Returns: nil for what no till sends.
    private func response(
        to request: NeighbourMessage, of terminalId: String, _ key: String, at address: String
    ) async -> NeighbourMessage? {
        switch request.path {
        case NeighbourHello.path?:
            // With the end that was seen before this hello: a till that runs from an older disk and went on
            // learns of it.
            let kept = request.document.flatMap { try? NeighbourHello(json: $0) }?.kept
            let response = await hello(to: terminalId, keeping: kept).json
            guard await take(request.document, of: terminalId, at: address, isOurs: false) else { return nil }
            return .response(200, response)
        case SealedPiece.path?:
            let makers = driver.withMachine { $0.neighbours.count }
            let answer = await around.pieces?.take(request.body, of: terminalId, key: key, makers: makers)
            return .response(200, PieceReceipt(answer: answer?.rawValue ?? "").json)
        case RightClaim.path?:
            guard let claim = request.document.flatMap({ try? RightClaim(json: $0) }) else { return nil }
            let response = await around.claims?.response(to: claim, of: terminalId)
            return (response ?? (around.claims == nil ? ClaimResponse(.unknownKind) : nil)).map {
                .response(200, $0.json)
            }
        case CartRequest.path?:
            guard let request = request.document.flatMap({ try? CartRequest(json: $0) }) else { return nil }
            return .response(
                200, (await around.claims?.content(of: request.cart) ?? CartContentResponse(nil)).json)
        case NotePageRequest.path?:
            guard let request = request.document.flatMap({ try? NotePageRequest(json: $0) }) else {
                return nil
            }
            return .response(200, (await around.notes?.page(request) ?? NotePage(notes: [])).json)
        case _: return nil
        }
    }

    /// The tills that can be reached, have a number, and are not behind a metered interface.
    @Sendable private func neighbours() -> [PieceNeighbour] {
        let reachable = reachableKeepers()
        guard !around.metered.isEmpty else { return reachable }
        return reachable.filter { !around.metered.contains($0.address.interface ?? "") }
    }

    private func reachableKeepers() -> [PieceNeighbour] {
        driver.withMachine { watch in
            watch.neighbours.compactMap { neighbour in
                guard watch.state(of: neighbour) == .reachable, let hello = neighbour.hello,
                    let heardAt = neighbour.heardAt, let number = hello.number,
                    let way = watch.way(to: neighbour.terminalId),
                    let address = SocketAddress(way, defaultPort: NeighbourLimits.port)
                else { return nil }
                return PieceNeighbour(
                    terminalId: neighbour.terminalId, number: number, run: hello.run,
                    kept: hello.kept?.runs ?? [], heardAt: heardAt, address: address)
            }
        }
    }

    /// What is known of the till whose pieces are kept here.
    @Sendable private func maker(_ terminalId: String) -> Relaying.Maker {
        let neighbour = driver.withMachine { watch in
            watch.neighbours.first { $0.terminalId == terminalId }
        }
        return Relaying.Maker(
            wantsRelay: neighbour?.hello?.wantsRelay ?? false,
            isManual: neighbour?.hello?.causes.contains(OfflineCause.manual.rawValue) ?? false,
            heardAt: neighbour?.heardAt ?? began, epoch: neighbour?.head?.epoch)
    }
}
