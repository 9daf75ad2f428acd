internal import Glibc
internal import HubCore
internal import HubProtocol
internal import HubStore
package import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// One process of the hub, with the roles that its configuration gives it.
package struct Hub: Sendable {
    private let configuration: HubConfiguration
    private let logger: Logger

    /// A hub that has opened nothing yet; ``run(onListening:)`` opens store, keys and sockets.
    package init(_ configuration: HubConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Serves until SIGTERM or SIGINT; requests that run by then get a response.
    ///
    /// - Parameter onListening: called with the public address once it and every local socket accept
    ///   requests.
    /// - Throws: ``HubStartError`` when the hub cannot begin.
    package func run(onListening: @escaping @Sendable (String) -> Void) async throws {
        // Everything that the hub makes, its sockets included, is for its owner alone.
        umask(0o077)
        let descriptors = DescriptorBudget.raised()
        let parts = try await HubParts(configuration, logger: logger)
        let listeners = parts.listeners(descriptors: descriptors, onListening: onListening)
        let group = ServiceGroup(
            configuration: groupConfiguration(
                services: try listeners.map { try $0.service() } + parts.services))
        try await group.run()
    }

    private func groupConfiguration(services: [any Service]) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        return configuration
    }
}

/// Why a hub did not start.
package enum HubStartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process owns the store at `path`. Stop it, or give this one other roles.
    case storeOwned(path: String)
    /// The path of a local socket is longer than the system allows. Move the store to a shorter path.
    case socketPathTooLong(path: String)
    /// What the process with the order store publishes is not at `path`: revoked terminals would be accepted.
    case notPublished(path: String)
    /// The payment gateway of the configuration cannot be used.
    case gateway(reason: String)
    /// The process has no room for the thread of its own requests. Free memory or descriptors.
    case noRequests(reason: String)

    /// One line for the operator, with the path and what to do next.
    package var description: String {
        switch self {
        case .storeOwned(let path): "another process owns the store \(path); stop it or use other roles"
        case .socketPathTooLong(let path):
            "the path \(path) is longer than the \(Self.longestSocketPath) bytes of a socket's; move the store"
        case .notPublished(let path):
            "\(path) is missing, without which revoked terminals would be let in; start the process with the "
                + "role sync once, which writes it, and leave both on the same store"
        case .noRequests(let reason): "the hub can send no requests (\(reason)); free memory or descriptors"
        case .gateway(let reason): "\(reason); set both in the configuration, or payments to none"
        }
    }

    /// What fits into `sun_path`, without its closing zero.
    static let longestSocketPath = 107
}
