public import AgentAPI

extension CounterStatus {
    /// What a status has for the screen.
    ///
    /// - Parameter banner: the line in the screen's language.
    public init(_ status: StatusResponse, banner: String, isChinese: Bool) {
        self.init(
            storeId: status.storeId ?? "-", isOffline: status.mode == "offline",
            banner: CounterText.words(banner),
            command: status.banner.command,
            isSignInRequired: status.running?.isSignInRequired == true,
            unseenCardSales: Int(status.running?.unseenCardSales ?? 0),
            refused: Int(
                (status.outbox.rejected ?? 0) + (status.outbox.conflicted ?? 0) + status.store.heldBack),
            obstacles: Self.obstacles(in: status, isChinese: isChinese),
            tenders: status.running?.tenders ?? [], till: status.running?.till)
    }

    /// Modules of which nothing works come first.
    private static func obstacles(in status: StatusResponse, isChinese: Bool) -> [Obstacle] {
        status.capabilities.compactMap { module, capability in
            capability.obstacle.map {
                Obstacle(
                    module: module, text: CounterText.words($0.text(isChinese: isChinese)),
                    stopsAll: $0.stopsAll)
            }
        }.sorted { ($0.stopsAll ? 0 : 1, $0.module) < ($1.stopsAll ? 0 : 1, $1.module) }
    }
}
