import Base
import HubProtocol
import LinuxRuntime
import MachineRuntime
import Neighbours
import PinnedTLS
import Synchronization

@testable import Agent

/// The shop's network, where the keys of other tills are withdrawn between a handshake and what follows.
final class KeyTakingNetwork: NeighbourNetwork {
    private let network: ShopNetwork
    private let taking = Mutex<(run: NeighbourRun, left: [TerminalKey])?>(nil)

    init(_ loop: EventLoop) { network = ShopNetwork(loop: loop) }

    func take(_ run: NeighbourRun, leaving left: [TerminalKey]) { taking.withLock { $0 = (run, left) } }

    /// Returns once the connections of before have been looked at.
    func takeKeys() async {
        guard let (run, left) = taking.withLock({ $0 }) else { return }
        let revisions = run.around.revisions
        let seen = revisions.current
        guard run.driver.withMachine({ $0.key(of: "L") }) != nil else { return }
        run.take(left)
        while run.driver.withMachine({ $0.key(of: "L") }) != nil || revisions.current == seen {
            await revisions.wait(after: seen, limit: .milliseconds(5))
        }
    }

    func addresses(of interfaces: Set<String>) -> [SocketAddress] { network.addresses(of: interfaces) }

    func listen(at address: SocketAddress) throws(TLSStreamFailure) -> any NeighbourListener {
        Listener(listener: try network.listen(at: address), network: self)
    }

    func connect(
        to address: SocketAddress, as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream {
        let stream = try await network.connect(to: address, as: identity, until: end, accepts: accepts)
        await takeKeys()
        return stream
    }

    private struct Listener: NeighbourListener {
        let listener: any NeighbourListener
        let network: KeyTakingNetwork

        var address: SocketAddress { listener.address }

        func next() async throws(TLSStreamFailure) -> (any NeighbourVisitor)? {
            try await listener.next().map { Visitor(visitor: $0, network: network) }
        }
    }

    private struct Visitor: NeighbourVisitor {
        let visitor: any NeighbourVisitor
        let network: KeyTakingNetwork

        var from: SocketAddress { visitor.from }

        func enter(
            as identity: NeighbourIdentity, until end: Instant,
            accepts: @escaping @Sendable (TLSClaim) -> Bool
        ) async throws(TLSStreamFailure) -> any NeighbourStream {
            let stream = try await visitor.enter(as: identity, until: end, accepts: accepts)
            await network.takeKeys()
            return stream
        }

        func turnAway() { visitor.turnAway() }
    }
}
