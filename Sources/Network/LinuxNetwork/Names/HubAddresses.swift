import Base

internal import EventLoop
internal import OfflineCore
internal import Synchronization

/// The addresses of the hub's name, kept up to date for the path monitor and the pinger.
///
/// The name is resolved on a separate thread, first at the creation of this object and again on request.
/// Known addresses stay until there are new ones, so a failing resolver does not lose the hub.
public final class HubAddresses: Sendable {
    private struct State {
        var addresses: [IPAddress]
        var isResolving = false
        var resolvedAt: Instant?
        var resolvedOver: String?
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextListener = 0
    }

    /// While there are no addresses at all, the name is tried again after this time.
    private static let retryAfter: Duration = .seconds(10)

    /// Nil for a fixed list.
    private let name: String?
    private let state: Mutex<State>
    private let time = LinuxSystemTime()

    /// - Parameter host: a name, or an address, which is never resolved.
    public init(host: String) {
        let literal = IPAddress(host)
        name = literal == nil ? host : nil
        state = Mutex(State(addresses: literal.map { [$0] } ?? []))
        refresh(ifOlderThan: .zero, orPathIsNot: nil)
    }

    /// A list that only the caller changes.
    public init(_ addresses: [IPAddress]) {
        name = nil
        state = Mutex(State(addresses: addresses))
    }

    /// Empty while the name could not be resolved yet.
    public var current: [IPAddress] { state.withLock { $0.addresses } }

    /// Replaces the addresses.
    public func replace(_ addresses: [IPAddress]) {
        let listeners = state.withLock { state -> [@Sendable () -> Void] in
            guard state.addresses != addresses else { return [] }
            state.addresses = addresses
            return Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }

    /// Resolves the name again, in the background, when the last resolution is `age` ago or was over another
    /// route.
    func refresh(ifOlderThan age: Duration, orPathIsNot route: String?) {
        guard let name else { return }
        let now = time.now()
        let begins = state.withLock { state -> Bool in
            let timeout = state.addresses.isEmpty ? min(age, Self.retryAfter) : age
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

    /// Calls `body` after every change, from any thread.
    func listen(_ body: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = body
            return state.nextListener
        }
    }

    func ignore(_ listener: Int) {
        state.withLock { $0.listeners[listener] = nil }
    }

    private func resolved(_ addresses: [IPAddress]) {
        state.withLock { $0.isResolving = false }
        if !addresses.isEmpty { replace(addresses) }
    }
}
