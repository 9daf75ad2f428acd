internal import Glibc
internal import Synchronization

/// The relay's thread. Callers use the settings and the wake-up only; sockets and pairs belong to the thread.
final class RelayLoop: @unchecked Sendable {
    struct Settings {
        var mode = FaultRelay.Mode.open
        var latency: Duration = .zero
        var bytesPerSecond: Int?
        var counters = FaultRelay.Counters()
        var isStopped = false
        var thread: pthread_t?
        /// Counts the changes; ``RelayLoop/taken`` has the last one that the thread applied.
        var changes = 0
    }

    let port: UInt16
    let settings = Mutex(Settings())
    private let taken = TakenChanges()
    private let target: UInt16
    private let wakeup: WakeupPipe
    private var listener: TCPSocket?
    private var pairs: [RelayPair] = []
    private var mode = FaultRelay.Mode.open
    private var bytesPerSecond: Int?

    init(target: UInt16) throws(FaultRelayError) {
        let listener = try TCPSocket.bound(port: 0)
        try listener.listen()
        wakeup = try WakeupPipe()
        self.target = target
        port = listener.localPort
        self.listener = listener
    }

    func start() throws(FaultRelayError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<RelayLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .notStarted(call: "pthread_create", code: code)
        }
        settings.withLock { $0.thread = thread }
    }

    /// Changes the settings and waits until the thread has applied them.
    func change(_ body: (inout Settings) -> Void) {
        let change = settings.withLock { settings -> Int? in
            body(&settings)
            settings.changes += 1
            return settings.thread == nil ? nil : settings.changes
        }
        guard let change else { return }
        wakeup.signal()
        taken.wait(for: change)
    }

    func stop(waiting: Bool) {
        let thread = settings.withLock { settings -> pthread_t? in
            settings.isStopped = true
            return settings.thread.take()
        }
        guard let thread else { return }
        wakeup.signal()
        if waiting { pthread_join(thread, nil) } else { pthread_detach(thread) }
    }

    /// The relay's thread; everything below runs on it.
    private func run() {
        while true {
            let wanted = settings.withLock { $0 }
            if wanted.isStopped { break }
            if wanted.mode != mode { enter(wanted.mode) }
            taken.announce(wanted.changes)
            let now = RelayClock.now()
            if wanted.bytesPerSecond != bytesPerSecond { limit(to: wanted.bytesPerSecond) }
            for pair in pairs { pair.bytesPerSecond = bytesPerSecond }
            for pair in pairs { pair.deliver(at: now, mode: mode) }
            sweep()
            let ready = waitForSockets(at: RelayClock.now())
            accept(ready.listener)
            for (pair, events) in zip(pairs, ready.pairs) {
                pair.take(events, mode: mode, dueAt: RelayClock.now() + wanted.latency.nanoseconds)
            }
        }
        for pair in pairs { pair.close() }
        pairs = []
        listener = nil
        taken.announce(.max)
    }

    /// Accepted connections have the listener's buffer, whose size their window names from the start.
    private func limit(to wanted: Int?) {
        bytesPerSecond = wanted
        if wanted != nil { listener?.useSmallBuffer() }
    }

    private func enter(_ wanted: FaultRelay.Mode) {
        let left = mode
        mode = wanted
        if left == .refusing { try? listener?.listen() }
        switch wanted {
        case .open, .cutResponseAfter:
            break
        case .silentBlackhole:
            for pair in pairs { pair.loseWhatIsOnItsWay() }
        case .refusing:
            // Bound and not listening: the port stays reserved and the kernel refuses connections to it.
            listener = nil
            listener = boundAgain()
            for pair in pairs { pair.reset() }
        case .resetAll:
            for pair in pairs { pair.reset() }
        }
        guard wanted != .silentBlackhole else { return }
        for pair in pairs { pair.startOver() }
    }

    private func accept(_ isReady: Bool) {
        guard isReady, let listener else { return }
        while let client = listener.accept() {
            settings.withLock { $0.counters.connections += 1 }
            switch mode {
            case .resetAll, .refusing:
                client.reset()
            case .silentBlackhole:
                pairs.append(RelayPair(client: client, target: nil, count: count))
            case .open, .cutResponseAfter:
                guard let server = TCPSocket.connecting(to: target) else {
                    client.reset()
                    continue
                }
                pairs.append(RelayPair(client: client, target: server, count: count))
            }
        }
    }

    private func count(_ toTarget: Int, _ toClient: Int) {
        settings.withLock {
            $0.counters.bytesToTarget += toTarget
            $0.counters.bytesToClient += toClient
        }
    }

    /// The port is free for a moment. The kernel may give it to a connection of another program meanwhile, so
    /// that the first attempts fail: without a retry the relay would refuse connections for ever.
    private func boundAgain() -> TCPSocket? {
        // 200 attempts, 5 ms apart: a connection on loopback is rarely open for longer than a second.
        for _ in 0..<200 {
            if let socket = try? TCPSocket.bound(port: port) { return socket }
            usleep(5_000)
        }
        return nil
    }

    private func sweep() {
        pairs.removeAll { $0.isOver }
    }

    private func waitForSockets(at now: Int64) -> (listener: Bool, pairs: [RelayPair.Events]) {
        var descriptors = [pollfd(fd: wakeup.readEnd, events: Int16(POLLIN), revents: 0)]
        let listens = mode != .refusing
        descriptors.append(
            pollfd(fd: listens ? listener?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0))
        for pair in pairs { descriptors += pair.interests(mode: mode, at: now) }
        let due = pairs.compactMap { $0.nextDue(after: now) }.min()
        let timeout = due.map { Int32(clamping: max(0, ($0 - now + 999_999) / 1_000_000)) } ?? -1
        guard poll(&descriptors, nfds_t(descriptors.count), timeout) > 0 else {
            return (false, pairs.map { _ in RelayPair.Events() })
        }
        wakeup.clear()
        let events = pairs.indices.map { index in
            RelayPair.Events(
                client: descriptors[2 + 2 * index].revents, target: descriptors[3 + 2 * index].revents)
        }
        return (descriptors[1].revents != 0, events)
    }
}

/// CLOCK_MONOTONIC in nanoseconds.
enum RelayClock {
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
