internal import Dispatch
internal import Glibc

/// Waits for the signals by which a service is asked to end.
enum TerminationSignal {
    /// Returns at the first SIGTERM or SIGINT; neither ends the process by itself any more.
    static func wait() async {
        let received = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { received.continuation.yield() }
            source.resume()
            return source
        }
        for await _ in received.stream { break }
        for source in sources { source.cancel() }
    }
}
