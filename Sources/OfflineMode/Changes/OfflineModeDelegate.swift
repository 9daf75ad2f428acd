public import OfflineCore

/// Told of every change of the status, in order, for code that prefers a delegate to a stream.
public protocol OfflineModeDelegate: AnyObject, Sendable {
    /// Called from no particular thread; returns soon.
    func offlineModeDidChange(to status: ModeStatus)
}

/// Keeps a closure informed; the closure is forgotten when this is cancelled or released.
public final class ModeSubscription: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Ends the subscription; repeated calls are harmless.
    public func cancel() { onCancel() }

    deinit { onCancel() }
}
