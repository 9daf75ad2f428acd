package import Base
package import AgentAPI

extension CounterStatus {
    /// What a status has for the screen.
    ///
    /// - Parameters:
    ///   - banner: the line in the screen's language, with the mode, the level and the command of the status
    ///     that it is of: a change of it is shown a little later than it is known.
    package init(
        _ status: StatusResponse, banner: String, isOffline: Bool, level: BannerAdvice.Level,
        command: String?, language: Language
    ) {
        self.init(
            storeId: status.storeId ?? "-", isOffline: isOffline,
            banner: Self.withoutKey(language.counterTexts.words(banner)), level: level, command: command,
            isSignInRequired: status.running?.isSignInRequired == true,
            unseenCardSales: Int(status.running?.unseenCardSales ?? 0),
            obstacles: Self.obstacles(in: status, language: language),
            tenders: status.running?.tenders ?? [], till: status.running?.till,
            cardStep: status.running?.cardStep, foreignBooking: status.running?.foreignBooking,
            neighbours: status.running?.neighbours)
    }

    /// The help of a banner, as `try now: F12`, stands at the end of its row already, with the key.
    private static func withoutKey(_ banner: String) -> String {
        banner.replacing(" · ", with: "\n").split(separator: "\n")
            .filter { !$0.hasSuffix("F12") }.joined(separator: " · ")
    }

    /// Modules of which nothing works come first.
    private static func obstacles(in status: StatusResponse, language: Language) -> [Obstacle] {
        status.capabilities.compactMap { module, capability in
            capability.obstacle.map {
                Obstacle(
                    module: module, text: language.counterTexts.words($0.text(in: language)),
                    stopsAll: $0.stopsAll)
            }
        }.sorted { ($0.stopsAll ? 0 : 1, $0.module.rawValue) < ($1.stopsAll ? 0 : 1, $1.module.rawValue) }
    }
}
