internal import Dispatch
internal import Glibc
internal import Logging

/// Changes the level of a log while its program runs: SIGUSR1 shows the next level of detail too, SIGUSR2
/// goes back to the level of the start. Works for as long as it is kept.
package final class LogLevelSignals {
    private let sources: [any DispatchSourceSignal]

    /// Listens from its making on; neither signal ends the process any more.
    package init(_ stream: LogStream) {
        let logger = stream.logger(label: "log")
        sources = [
            Self.source(SIGUSR1) {
                stream.showMore()
                logger.critical("the log level is \(stream.level) now")
            },
            Self.source(SIGUSR2) {
                stream.reset()
                logger.critical("the log level is \(stream.level) again")
            },
        ]
    }

    deinit {
        for source in sources { source.cancel() }
    }

    private static func source(
        _ number: Int32, _ handle: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler(handler: handle)
        source.resume()
        return source
    }
}
