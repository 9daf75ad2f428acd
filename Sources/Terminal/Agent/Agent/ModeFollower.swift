internal import CurlTransport
internal import OfflineCore
internal import OfflineMode

/// Passes the decisions of the offline module on to the drainer and the feed.
struct ModeFollower {
    let parts: AgentParts

    func run() async {
        var wasLocal: Bool?
        for await status in parts.offline.statuses() {
            parts.drainer.setManualOffline(status.causes.contains(.manual))
            let policy = parts.permissions.policy(of: status)
            parts.drainer.setLinkDegraded(policy.usesSmallBatches)
            parts.uploader.follow(policy.uploadPermission(), isDegraded: policy.usesSmallBatches)
            let isLocal = parts.offline.route(of: "order") == .local
            if isLocal != wasLocal {
                // A connection from before an outage may be dead without a word; a push must not wait for it.
                parts.session.forgetConnections()
                if isLocal {
                    parts.drainer.routeLost()
                } else {
                    parts.drainer.routeRestored()
                    parts.uploader.routeRestored()
                    // Later the feed is notified of each switch as a participant.
                    if wasLocal == nil { parts.feed.pullSoon() }
                    parts.token.renewSoon()
                }
            }
            wasLocal = isLocal
            parts.revisions.advance()
        }
    }
}
