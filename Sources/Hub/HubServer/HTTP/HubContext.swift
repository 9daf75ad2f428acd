internal import Hummingbird
internal import Logging
internal import NIOCore

/// What a request carries besides its own head and body: the channel that it came over.
struct HubContext: InitializableFromSource, Sendable {
    let channel: any Channel
    let logger: Logger

    /// Signals that the body is read now (`100 Continue`) to a sender that waits for it.
    @Sendable func readBody() {
        channel.triggerUserOutboundEvent(ExchangeGuard.ReadsBody(), promise: nil)
    }

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
