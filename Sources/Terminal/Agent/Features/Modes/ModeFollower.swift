import Base
internal import CurlHTTP
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode

/// Passes the decisions of the offline module on to what sends and pulls.
struct ModeFollower: Sendable {
    let offline: OfflineService
    let permissions: SyncPermissions
    let drainer: OutboxDrainer
    let uploader: AttachmentUploader
    let feed: CatalogueFeed
    let token: TokenKeeper
    let session: any HTTPSession
    let revisions: StatusRevisions
    let banner: SteadyBanner
    let time: any SystemTime

    /// Follows until the task is cancelled.
    func run() async {
        var wasLocal: Bool?
        for await status in offline.statuses() {
            drainer.setManualOffline(status.causes.contains(.manual))
            let policy = permissions.policy(of: status)
            drainer.setLinkDegraded(policy.usesSmallBatches)
            uploader.follow(policy.uploadPermission(), isDegraded: policy.usesSmallBatches)
            let isLocal = offline.route(of: "order") == .local
            if isLocal { drainer.routeLost(byService: offline.isFaulty("order")) }
            if isLocal != wasLocal { follow(isLocal: isLocal, isFirst: wasLocal == nil) }
            wasLocal = isLocal
            if let due = banner.follow(status, at: time.now()) { showLater(due) }
            revisions.advance()
        }
    }

    /// A change of the banner that has held until then is news for watchers.
    private func showLater(_ due: Instant) {
        Task { [time, revisions] in
            guard (try? await time.sleep(until: due)) != nil else { return }
            revisions.advance()
        }
    }

    private func follow(isLocal: Bool, isFirst: Bool) {
        // A connection from before an outage may be dead without a sign; a push must not wait for it.
        session.forgetConnections()
        guard !isLocal else { return }
        drainer.routeRestored()
        uploader.routeRestored()
        // Later the feed is notified of each switch as a participant.
        if isFirst { feed.pullSoon() }
        token.renewSoon()
    }
}
