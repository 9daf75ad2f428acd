public import Foundation
internal import OfflineCore

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
