import Base

internal import Dispatch
internal import Glibc

/// The signals by which a service is requested to end, SIGTERM and SIGINT.
///
/// From its making on neither ends the process by itself any more, so it is made before the service calls
/// itself ready.
struct TerminationSignal {
    private let queried: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        queried = stream
        // A source listens some time after it was resumed; a signal that came before would be lost.
        let listening = DispatchSemaphore(value: 0)
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setRegistrationHandler { listening.signal() }
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        for _ in sources { _ = listening.wait(timeout: .now() + .seconds(5)) }
    }

    /// Returns at the first of them, also one that came before the call.
    func wait() async {
        for await _ in queried { break }
        for source in sources { source.cancel() }
    }
}
