internal import Hummingbird
internal import Logging
internal import NIOCore

/// What the server tells of a request besides itself.
struct HubContext: InitializableFromSource, Sendable {
    let channel: any Channel
    let logger: Logger

    /// Says that the body is read now, to a sender that waits for leave.
    @Sendable func readBody() {
        channel.triggerUserOutboundEvent(ExchangeGuard.ReadsBody(), promise: nil)
    }

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
