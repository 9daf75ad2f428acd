public import Foundation
public import OfflineCore

/// Gets every change of the status, in order, for code that prefers a delegate to a stream.
public protocol OfflineModeDelegate: AnyObject, Sendable {
    /// Called from no particular thread; returns soon.
    func offlineModeDidChange(to status: ModeStatus)
}

/// Keeps a closure subscribed; the subscription ends when this is cancelled or released.
public final class ModeSubscription: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Ends the subscription; repeated calls are harmless.
    public func cancel() { onCancel() }

    deinit { onCancel() }
}

extension Notification.Name {
    /// Posted to the default centre, from no particular thread, after every change of the status.
    ///
    /// The user info holds the new `ModeStatus` under ``OfflineService/statusKey``.
    public static let offlineModeDidChange = Notification.Name("OfflineModeDidChange")
}

extension OfflineService {
    /// Where the user info of ``Foundation/NSNotification/Name/offlineModeDidChange`` holds the `ModeStatus`.
    public static let statusKey = "status"

    func postNotification(of status: ModeStatus) {
        NotificationCenter.default.post(
            name: .offlineModeDidChange, object: nil, userInfo: [Self.statusKey: status])
    }
}
