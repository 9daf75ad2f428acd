internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import PinnedTLS
internal import Synchronization

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
            let stream = try await around.network.connect(
                to: address, as: identity, until: end
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
