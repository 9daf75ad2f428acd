internal import CLinux
internal import Glibc

/// Descriptors that the loop watches. Everything here is for the loop's thread.
extension EventLoop {
    /// Identifies a watch. The number of a descriptor is reused, its identifier is not.
    public struct WatchToken: Hashable, Sendable {
        let descriptor: Int32
        let identifier: UInt32
    }

    struct Watch {
        let identifier: UInt32
        let handler: (Readiness) -> Void
    }

    /// Calls `handler` whenever `descriptor` is ready, until ``ignore(_:)``; replaces an earlier watch of it.
    ///
    /// - Throws: when the descriptor cannot be watched; an earlier watch continues then.
    @discardableResult
    public func watch(
        _ descriptor: Int32, for interest: Readiness, _ handler: @escaping (Readiness) -> Void
    ) throws(EventLoopError) -> WatchToken {
        precondition(isCurrent, "a descriptor is watched on the loop's thread")
        lastIdentifier &+= 1
        let data = UInt64(lastIdentifier) << 32 | UInt64(UInt32(bitPattern: descriptor))
        try register(descriptor, events: interest.events, data: data)
        watches[descriptor] = Watch(identifier: lastIdentifier, handler: handler)
        return WatchToken(descriptor: descriptor, identifier: lastIdentifier)
    }

    /// Ends a watch; its descriptor may be closed already. One that was replaced is no error.
    public func ignore(_ watch: WatchToken) {
        precondition(isCurrent, "a descriptor is ignored on the loop's thread")
        guard watches[watch.descriptor]?.identifier == watch.identifier else { return }
        watches[watch.descriptor] = nil
        unregister(watch.descriptor)
    }

    func deliver(_ event: epoll_event, to descriptor: Int32) {
        let identifier = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        guard let watch = watches[descriptor], watch.identifier == identifier else { return }
        watch.handler(Readiness(events: event.events))
    }
}
