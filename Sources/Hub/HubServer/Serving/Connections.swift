internal import HubCore
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The open connections of one listener: how many there may be, which one gives way, and who looks after
/// their deadlines.
final class Connections: AvailableConnectionsDelegate, Sendable {
    private struct State {
        var table: ConnectionTable<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
        var sweeps: [ObjectIdentifier: LoopSweep] = [:]
        /// Sockets that are open, those that were closed a moment ago and are not gone yet included.
        var accepted = 0
    }

    private let state: Mutex<State>
    private let addresses: PeerAddresses
    private let mostAccepted: Int
    private let memory = MemoryReturn()
    /// Of the network's listener; nil for a local socket.
    private let figures: HubFigures?

    /// - Parameters:
    ///   - maximum: connections in all.
    ///   - perAddress: connections of one address that have not shown a valid token.
    ///   - figures: where they count; nil: nowhere.
    init(maximum: Int, perAddress: Int, addresses: PeerAddresses, figures: HubFigures? = nil) {
        self.figures = figures
        state = Mutex(State(table: ConnectionTable(maximum: maximum, perAddress: perAddress)))
        self.addresses = addresses
        mostAccepted = maximum + DescriptorBudget.closing
    }

    /// The other end of a connection.
    func peer(of channel: any Channel) -> Peer { addresses.peer(at: channel.remoteAddress) }

    /// - Returns: whether the connection may stay.
    func opened(_ channel: any Channel, guardedBy socket: SocketGuard) -> Bool {
        let id = ObjectIdentifier(channel)
        let address = peer(of: channel).limitedAddress
        let (admission, leaving, sweep) = state.withLock { state in
            let admission = state.table.opened(id, from: address)
            var leaving: [any Channel] = []
            if case .admitted(let closing) = admission {
                state.channels[id] = channel
                leaving = closing.compactMap { state.channels.removeValue(forKey: $0) }
            }
            return (admission, leaving, Self.sweep(of: channel.eventLoop, in: &state))
        }
        sweep.add(socket, id)
        for channel in leaving {
            channel.pipeline.fireUserInboundEventTriggered(SocketGuard.GiveWay())
        }
        return admission != .refused
    }

    private static func sweep(of loop: any EventLoop, in state: inout State) -> LoopSweep {
        let key = ObjectIdentifier(loop)
        if let known = state.sweeps[key] { return known }
        let fresh = LoopSweep(loop: loop)
        state.sweeps[key] = fresh
        return fresh
    }

    func closed(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let sweep = state.withLock { state in
            state.table.closed(id)
            state.channels[id] = nil
            return state.sweeps[ObjectIdentifier(channel.eventLoop)]
        }
        sweep?.remove(id)
    }

    func requestBegan(_ channel: any Channel) {
        state.withLock { $0.table.requestBegan(ObjectIdentifier(channel)) }
    }

    func requestEnded(_ channel: any Channel) {
        state.withLock { $0.table.requestEnded(ObjectIdentifier(channel)) }
    }

    /// A request showed a valid token.
    func becameKnown(_ channel: any Channel) {
        state.withLock { $0.table.becameKnown(ObjectIdentifier(channel)) }
    }

    // The hard limit at `accept`: a burst waits in the system's queue while others are being closed.

    func connectionOpened() {
        memory.opened()
        figures?.connectionOpened()
        state.withLock { $0.accepted += 1 }
    }

    func connectionClosed() {
        memory.closed()
        figures?.connectionClosed()
        state.withLock { $0.accepted -= 1 }
    }

    func isAcceptingNewConnections() -> Bool {
        state.withLock { $0.accepted < mostAccepted }
    }
}

/// Looks at the connections of one event loop several times a second while there are any; cheaper than a
/// timer for each of them.
///
/// Its members belong to the event loop; that is why it can be passed on.
private final class LoopSweep: @unchecked Sendable {
    private let loop: any EventLoop
    private var guards: [ObjectIdentifier: SocketGuard] = [:]
    private var task: RepeatedTask?

    /// A quarter of the shortest deadline. Halved, 5,000 connections cost 4 ms of a processor a second, and a
    /// refused sender is gone 0.1 s sooner.
    private static let interval: TimeAmount = .milliseconds(250)

    init(loop: any EventLoop) {
        self.loop = loop
    }

    func add(_ socket: SocketGuard, _ id: ObjectIdentifier) {
        loop.preconditionInEventLoop()
        guards[id] = socket
        guard task == nil else { return }
        task = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { _ in self.look()
        }
    }

    func remove(_ id: ObjectIdentifier) {
        loop.preconditionInEventLoop()
        guards[id] = nil
    }

    private func look() {
        for socket in guards.values { socket.look() }
        guard guards.isEmpty else { return }
        task?.cancel()
        task = nil
    }
}
