import Base
internal import OfflineCore
internal import LinuxRuntime
internal import MachineRuntime
internal import Synchronization

/// The addresses of the hub's name, kept up to date for the path monitor and the pinger.
///
/// The name is resolved on a separate thread, first at the creation of this object and again on request.
/// Known addresses stay until there are new ones, so a failing resolver does not lose the hub.
package final class HubAddresses: Sendable {
    private struct State {
        var isResolving = false
        var resolvedAt: Instant?
        var resolvedOver: String?
    }

    /// While there are no addresses at all, the name is tried again after this time.
    private static let retryAfter: Duration = .seconds(10)

    /// Nil for a fixed list.
    private let name: String?
    /// What the addresses are of, a name or an address itself; nil for a list that only the caller changes.
    let host: String?
    /// Empty while the name could not be resolved yet.
    let addresses: Broadcast<[IPAddress]>
    private let state = Mutex(State())
    private let time = LinuxSystemTime()

    /// - Parameter host: a name, or an address, which is never resolved.
    package init(host: String) {
        self.host = host
        let literal = IPAddress(host)
        name = literal == nil ? host : nil
        addresses = Broadcast(literal.map { [$0] } ?? [])
        refresh(ifOlderThan: .zero, orPathIsNot: nil)
    }

    /// A list that only the caller changes.
    package init(_ addresses: [IPAddress]) {
        name = nil
        host = nil
        self.addresses = Broadcast(addresses)
    }

    /// Empty while the name could not be resolved yet.
    package var current: [IPAddress] { addresses.current }

    package func replace(_ addresses: [IPAddress]) { self.addresses.publish(addresses) }

    /// Resolves the name again, in the background, when the last resolution is `age` ago or was over another
    /// route.
    func refresh(ifOlderThan age: Duration, orPathIsNot route: String?) {
        guard let name else { return }
        let now = time.now()
        let begins = state.withLock { state -> Bool in
            let timeout = addresses.current.isEmpty ? min(age, Self.retryAfter) : age
            let isOld = state.resolvedAt.map { now - $0 > timeout } ?? true
            let isElsewhere = route != nil && route != state.resolvedOver
            guard !state.isResolving, isOld || isElsewhere else { return false }
            state.isResolving = true
            state.resolvedAt = now
            state.resolvedOver = route ?? state.resolvedOver
            return true
        }
        guard begins else { return }
        do throws(EventLoopError) {
            try PosixThread.detach { [weak self] in
                let addresses = HostResolver.resolve(name)
                self?.resolved(addresses)
            }
        } catch {
            resolved([])
        }
    }

    private func resolved(_ addresses: [IPAddress]) {
        state.withLock { $0.isResolving = false }
        if !addresses.isEmpty { replace(addresses) }
    }
}
