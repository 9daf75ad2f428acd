internal import HubProtocol
internal import Logging
internal import Synchronization

/// The settings in force, changed while the terminal runs by what the store tunes from the hub.
///
/// What is refused of it is logged and left out; the rest counts.
final class LiveConfiguration: Sendable {
    private struct State {
        var settings: StoreSettings
        var configuration: TerminalConfiguration
    }

    private let sources: ConfigurationSources
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameter settings: what lay on disk of the store's tuning.
    init(
        sources: ConfigurationSources, tunedBy settings: StoreSettings, logger: Logger
    ) throws(TerminalError) {
        self.sources = sources
        self.logger = logger
        let (configuration, refused) = try sources.configuration(tunedBy: settings)
        state = Mutex(State(settings: settings, configuration: configuration))
        for words in refused { logger.warning("\(words); it is not followed") }
    }

    var current: TerminalConfiguration { state.withLock { $0.configuration } }

    /// Takes what the store tunes now.
    ///
    /// - Returns: the new settings, or nil when nothing changes by it.
    func take(_ settings: StoreSettings) -> TerminalConfiguration? {
        guard state.withLock({ $0.settings != settings }) else { return nil }
        let configuration: TerminalConfiguration
        do throws(TerminalError) {
            let (tuned, refused) = try sources.configuration(tunedBy: settings)
            for words in refused { logger.warning("\(words); it is not followed") }
            configuration = tuned
        } catch {
            logger.error("the store's configuration is not followed: \(error.message)")
            return nil
        }
        return state.withLock { state in
            state.settings = settings
            guard state.configuration != configuration else { return nil }
            state.configuration = configuration
            return configuration
        }
    }
}
