internal import Glibc

/// One relayed connection: the client's side, the target's side and the bytes between them.
///
/// A connection is *torn* once bytes of it or its end were dropped. Nothing can repair such a stream, so it
/// ends with a reset as soon as the blackhole does.
final class RelayPair {
    /// The events of `poll` for both sides.
    struct Events {
        var client: Int16 = 0
        var target: Int16 = 0
    }

    private let client: TCPSocket
    /// Nil for a connection that came while everything was dropped.
    private let target: TCPSocket?
    private var toTarget = RelayStream()
    private var toClient = RelayStream()
    /// The most that is read of each side in a second; nil: no limit.
    var bytesPerSecond: Int?
    /// When each side is read again.
    private var (clientReadAt, targetReadAt): (Int64, Int64) = (0, 0)
    private var isTorn = false
    /// Bytes of responses forwarded since the mode that cuts them began.
    private var responded = 0
    private var count: (_ toTarget: Int, _ toClient: Int) -> Void
    private(set) var isOver = false

    init(client: TCPSocket, target: TCPSocket?, count: @escaping (Int, Int) -> Void) {
        self.client = client
        self.target = target
        self.count = count
        isTorn = target == nil
    }

    /// Ends both sides in order.
    func close() { isOver = true }

    /// Ends both sides with a reset.
    func reset() {
        client.reset()
        target?.reset()
        isOver = true
    }

    /// The blackhole begins: delayed bytes never arrive.
    func loseWhatIsOnItsWay() {
        if toTarget.isUnderWay || toClient.isUnderWay { isTorn = true }
    }

    /// A mode other than the blackhole begins: a torn connection ends, another one continues and is counted
    /// again from zero.
    func startOver() {
        responded = 0
        if isTorn { reset() }
    }

    /// The entries for `poll`, the client's side first.
    func interests(mode: FaultRelay.Mode, at now: Int64) -> [pollfd] {
        let swallows = mode == .silentBlackhole
        return [
            client.interest(
                reads: now >= clientReadAt && (toTarget.canTake || (swallows && !toTarget.hasEnded)),
                writes: !swallows && toClient.isBlocked),
            target?.interest(
                reads: now >= targetReadAt && (toClient.canTake || (swallows && !toClient.hasEnded)),
                writes: !swallows && toTarget.isBlocked)
                ?? pollfd(fd: -1, events: 0, revents: 0),
        ]
    }

    /// When delayed bytes are due, or a side may be read again; nil when neither is awaited.
    func nextDue(after now: Int64) -> Int64? {
        let reads = [clientReadAt, targetReadAt].filter { $0 > now }
        let due = isTorn ? [] : [toTarget.nextDue, toClient.nextDue].compactMap { $0 }
        return (reads + due).min()
    }

    /// What is read at once with a limit: of a tenth of a second.
    private var chunk: Int { bytesPerSecond.map { max(1, $0 / 10) } ?? TCPSocket.chunk }

    /// When a side may be read again of which `reading` was read at `now`.
    private func nextRead(after reading: TCPSocket.Reading, at now: Int64) -> Int64 {
        guard let bytesPerSecond, case .bytes(let bytes) = reading else { return 0 }
        return now + Int64(bytes.count) * 1_000_000_000 / Int64(max(1, bytesPerSecond))
    }

    func take(_ events: Events, mode: FaultRelay.Mode, dueAt: Int64) {
        if isOver { return }
        let now = RelayClock.now()
        if events.client != 0, !toTarget.hasEnded, now >= clientReadAt {
            let reading = client.read(atMost: chunk)
            clientReadAt = nextRead(after: reading, at: now)
            take(reading, into: \.toTarget, mode: mode, dueAt: dueAt)
        }
        if events.target != 0, !toClient.hasEnded, now >= targetReadAt, let target, !isOver {
            let reading = target.read(atMost: chunk)
            targetReadAt = nextRead(after: reading, at: now)
            take(reading, into: \.toClient, mode: mode, dueAt: dueAt)
        }
        toTarget.mayBeUnblocked()
        toClient.mayBeUnblocked()
        // A side that only reports errors is not polled again, or `poll` would return at once forever.
        if mode != .silentBlackhole, toTarget.hasEnded, toClient.hasEnded, toTarget.isEmpty, toClient.isEmpty
        {
            isOver = true
        }
    }

    private func take(
        _ reading: TCPSocket.Reading, into stream: ReferenceWritableKeyPath<RelayPair, RelayStream>,
        mode: FaultRelay.Mode, dueAt: Int64
    ) {
        let swallows = mode == .silentBlackhole
        switch reading {
        case .nothingYet: break
        case .bytes(let bytes):
            if swallows { isTorn = true } else { self[keyPath: stream].append(bytes, dueAt: dueAt) }
        case .ended:
            if swallows { isTorn = true }
            self[keyPath: stream].end(dueAt: dueAt)
        case .broken:
            if swallows {
                isTorn = true
                self[keyPath: stream].end(dueAt: dueAt)
            } else {
                reset()
            }
        }
    }

    /// Writes what is due.
    func deliver(at now: Int64, mode: FaultRelay.Mode) {
        guard !isOver, !isTorn, mode != .silentBlackhole, let target else { return }
        guard let requested = toTarget.deliver(to: target, at: now, limit: .max) else { return reset() }
        var limit = Int.max
        if case .cutResponseAfter(let bytes) = mode { limit = max(0, bytes - responded) }
        let hadResponse = toClient.hasDue(at: now)
        guard let responded = toClient.deliver(to: client, at: now, limit: limit) else { return reset() }
        self.responded += responded
        count(requested, responded)
        if hadResponse, responded == limit { close() }
        if toTarget.isOver, toClient.isOver { close() }
    }
}

extension TCPSocket {
    fileprivate func interest(reads: Bool, writes: Bool) -> pollfd {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        // `poll` skips a negative descriptor; one without events would still report a hang-up each time.
        return pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }
}
