internal import Base
internal import Glibc
internal import HubProtocol
internal import LinuxNetwork
internal import LinuxRuntime
internal import Logging
internal import MachineRuntime
internal import Neighbours
internal import OfflineCore
internal import OfflineMode
internal import PinnedTLS
internal import Synchronization

/// What a time of seeing other tills needs of the agent.
struct NeighbourSurroundings: Sendable {
    let terminalId: String
    let loop: EventLoop
    let time: any SystemTime
    let offline: OfflineService
    let logger: Logger
    /// What this till says of itself, without what it has seen of the reader.
    let ownHello: @Sendable () async -> NeighbourHello
    /// Where this till's journal ends on its disk; nil where that cannot be read.
    let ownHead: @Sendable () async -> SignedHead?
    /// The keys of the store's terminals, this one's too.
    let keys: @Sendable () -> [TerminalKey]
    /// The public half of the till's own device key.
    let ownKey: String
    /// What people see has changed.
    let changed: @Sendable () -> Void
}

/// One time of seeing the other tills, from the moment when the store wants it until it does not any more.
///
/// Nothing of it is waited for by a sale.
final class NeighbourRun: Sendable {
    /// What is known beside the machine.
    struct Findings: Hashable, Sendable {
        var listening: [SocketAddress] = []
        /// Where it cannot listen, with the reason.
        var notListening: [String] = []
        /// Connections that ended with the handshake.
        var refused: Int64 = 0
        /// A signed end of this till's own journal that its disk does not have.
        var ahead: SignedHead?
    }

    let settings: NeighbourSettings
    let driver: MachineDriver<NeighbourWatch>
    /// When it began.
    let began: Instant
    private let identity: TLSIdentity
    private let around: NeighbourSurroundings
    private let found = Mutex(Findings())
    /// Kept connections that this till made, by address.
    private let ways = Mutex<[String: NeighbourConnection]>([:])
    /// Connections that others made.
    private let guests = Mutex<[ObjectIdentifier: NeighbourConnection]>([:])
    /// Where the others listen, as the hub says.
    private let passedOn = Mutex<[SocketAddress]>([])
    private let gate = Mutex((second: Instant(nanoseconds: 0), handshakes: 0, open: 0))

    init(_ settings: NeighbourSettings, _ identity: TLSIdentity, _ around: NeighbourSurroundings) {
        (self.settings, self.identity, self.around) = (settings, identity, around)
        began = around.time.now()
        var seeds = SystemRandomNumberGenerator()
        driver = MachineDriver(
            NeighbourWatch(terminalId: around.terminalId, seed: seeds.next()), time: around.time
        ) { [.deadlineReached] }
    }

    var findings: Findings { found.withLock { $0 } }

    /// Greets and is greeted until the task is cancelled; every connection has ended then.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await listen() }
            group.addTask { [self] in await followMode() }
            take(around.keys())
            await driver.run(in: &group) { _, effects, _ in
                effects.filter { effect in
                    switch effect {
                    case .greet: return true
                    case .pictureChanged: around.changed()
                    case .drop(let tills): drop(tills)
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
        let others = keys.filter { $0.terminalId != around.terminalId }
        driver.post(
            .keysChanged(Dictionary(others.map { ($0.terminalId, $0.publicKey) }) { first, _ in first }))
        let reported = others.flatMap { key in
            (key.neighbours?.addresses ?? []).compactMap {
                SocketAddress($0, defaultPort: UInt16(clamping: key.neighbours?.port ?? 0))
            }
        }
        passedOn.withLock { $0 = reported.filter(\.isPrivate) }
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

    private func followMode() async {
        for await status in around.offline.statuses() {
            driver.post(.modeChanged(isOnline: status.mode == .online))
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
            } + guests.withLock { guests in guests.values.filter { !isLeft($0) } }
        for connection in ended { Task { await connection.close() } }
    }

    /// Whether the device key of `claim`'s terminal, which the hub sent and has not withdrawn, signed its
    /// key.
    @Sendable private func accepts(_ claim: TLSClaim) -> Bool {
        guard let key = driver.withMachine({ $0.key(of: claim.name) }) else { return false }
        return NeighbourKey.isBound(claim.key, to: claim.name, by: key, proof: claim.proof)
    }

    /// What this till says to `terminalId`.
    private func hello(to terminalId: String) async -> NeighbourHello {
        var hello = await around.ownHello()
        hello.head = await around.ownHead()?.json
        hello.seen = driver.withMachine { $0.head(of: terminalId)?.json }
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
        if let seen = hello.seen.flatMap({ try? SignedHead(json: $0) }),
            let own = await around.ownHead(), seen.isAhead(of: own),
            seen.isSigned(by: around.ownKey, terminalId: around.terminalId)
        {
            let isNews = found.withLock { found in
                defer { if seen.isAhead(of: found.ahead) { found.ahead = seen } }
                return found.ahead == nil
            }
            if isNews {
                around.logger.critical(
                    "till \(terminalId) has seen entry \(seen.sequence) of this till's journal, whose disk ends at \(own.sequence)"
                )
                around.changed()
            }
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
            let stream = try await TLSStream.connect(
                to: target, as: identity, on: around.loop, until: end, accepts: accepts)
            guard let peer = await stream.peer else { throw .handshakeFailed }
            let connection = NeighbourConnection(stream, to: peer.name)
            ways.withLock { $0[address] = connection }
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
        ways.withLock { if $0[address] === connection { $0[address] = nil } }
        await connection.close()
        return false
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
                    aim()
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
        return SocketAddress.ofInterfaces().filter { of in
            of.address.isPrivate && LinkHardware.isOfShop(interface: of.interface)
        }.map { $0.address.with(port: NeighbourLimits.port) }
    }

    /// Whom to greet: this till itself may stand in a list that all tills of a store have.
    private var targets: [String] {
        let own = Set(findings.listening)
        let all = settings.addresses + passedOn.withLock { $0 }
        return all.filter { !own.contains($0) }.map(\.description)
    }

    private func open(_ address: SocketAddress) -> TCPListener? {
        do throws(TLSStreamFailure) {
            let listener = try TCPListener(address, on: around.loop)
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

    private func serve(_ listener: TCPListener) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do throws(TLSStreamFailure) {
                    guard let (descriptor, from) = try await listener.accept() else { return }
                    guard hasRoom() else {
                        close(descriptor)
                        continue
                    }
                    group.addTask { [self] in
                        await welcome(descriptor, from)
                        gate.withLock { $0.open -= 1 }
                    }
                } catch {
                    try? await around.time.sleep(until: around.time.now() + .seconds(1))
                }
            }
        }
    }

    /// Whether one more connection may begin; strangers cost a handshake each, and no more of them.
    private func hasRoom() -> Bool {
        let now = around.time.now()
        return gate.withLock { gate in
            if now - gate.second >= .seconds(1) { (gate.second, gate.handshakes) = (now, 0) }
            guard gate.handshakes < NeighbourLimits.handshakesASecond, gate.open < NeighbourLimits.connections
            else { return false }
            gate.handshakes += 1
            gate.open += 1
            return true
        }
    }

    private func welcome(_ descriptor: Int32, _ from: SocketAddress) async {
        do throws(TLSStreamFailure) {
            let stream = try await TLSStream.accepted(
                descriptor, as: identity, on: around.loop,
                until: around.time.now() + NeighbourLimits.exchange,
                accepts: accepts)
            guard let peer = await stream.peer else { return }
            let guest = NeighbourConnection(stream, to: peer.name)
            guests.withLock { $0[ObjectIdentifier(guest)] = guest }
            await respond(to: guest, at: from.description)
            guests.withLock { $0[ObjectIdentifier(guest)] = nil }
            await guest.close()
        } catch {
            found.withLock { $0.refused += 1 }
        }
    }

    /// Responds until the connection ends, a key is withdrawn, or a till sends what tills do not send.
    private func respond(to guest: NeighbourConnection, at address: String) async {
        var (second, count) = (around.time.now(), 0)
        while let request = try? await guest.next(until: around.time.now() + NeighbourLimits.idle) {
            let now = around.time.now()
            if now - second >= .seconds(1) { (second, count) = (now, 0) }
            count += 1
            guard count <= NeighbourLimits.requestsASecond,
                driver.withMachine({ $0.key(of: guest.terminalId) }) != nil,
                request.path == NeighbourHello.path,
                await take(request.document, of: guest.terminalId, at: address, isOurs: false)
            else { return }
            let response = NeighbourMessage.response(200, await hello(to: guest.terminalId).json)
            guard (try? await guest.send(response, until: now + NeighbourLimits.exchange)) != nil else {
                return
            }
        }
    }
}

/// Trying one address.
extension NeighbourRun {
    /// How far an attempt came.
    struct Attempt: Sendable {
        /// What the certificate of the other side said; nil: none came.
        var claim: TLSClaim?
        var isConnected = false
        /// Whether the key is a till's of the store.
        var isKnown = false
        var hello: NeighbourHello?
        var failure: TLSStreamFailure?
    }

    /// Connects to `address` and exchanges one hello.
    func attempt(_ address: SocketAddress) async -> Attempt {
        let end = around.time.now() + NeighbourLimits.exchange
        let seen = Mutex<(claim: TLSClaim, isKnown: Bool)?>(nil)
        var attempt = Attempt()
        do throws(TLSStreamFailure) {
            let stream = try await TLSStream.connect(
                to: address, as: identity, on: around.loop, until: end
            ) { [self] claim in
                let isKnown = accepts(claim)
                seen.withLock { $0 = (claim, isKnown) }
                return isKnown
            }
            attempt.isConnected = true
            let peer = seen.withLock { $0?.claim.name } ?? ""
            let connection = NeighbourConnection(stream, to: peer)
            let request = NeighbourMessage.request(NeighbourHello.path, await hello(to: peer).json)
            let response = try await connection.exchange(request, until: end)
            await connection.close()
            guard response.isGood, let hello = response.document.flatMap({ try? NeighbourHello(json: $0) }),
                hello.terminalId == peer
            else { throw .malformed }
            attempt.hello = hello
        } catch {
            attempt.failure = error
        }
        if let (claim, isKnown) = seen.withLock({ $0 }) {
            (attempt.claim, attempt.isKnown, attempt.isConnected) = (claim, isKnown, true)
        }
        if attempt.failure == .handshakeFailed { attempt.isConnected = true }
        return attempt
    }
}
