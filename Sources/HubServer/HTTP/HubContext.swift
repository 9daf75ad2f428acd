internal import Hummingbird
internal import Logging
internal import NIOCore

/// What the server tells of a request besides itself.
struct HubContext: InitializableFromSource, Sendable {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}
