@preconcurrency internal import Dispatch
internal import Glibc
internal import HubProtocol
internal import Terminal

/// All that the checkout waits for, in one order: what is typed, Control-C, the agent's answer, a new banner.
final class CheckoutInput: Sendable {
    enum Event: Sendable {
        case line(String)
        /// Control-D, or the end of what is piped in.
        case end
        case interrupt
        case answered(Result<JSONValue, TerminalError>)
        case banner
        /// A second has passed while an answer is waited for.
        case tick
    }

    private let events = AsyncStream.makeStream(of: Event.self)
    private let wanted = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let interrupts: any DispatchSourceSignal
    private let reader: Task<Void, Never>

    /// From its making on Control-C no longer ends the process.
    init() throws(TerminalError) {
        let (output, more) = (events.continuation, wanted.stream)
        signal(SIGINT, SIG_IGN)
        interrupts = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupts.setEventHandler { output.yield(.interrupt) }
        interrupts.resume()
        let loop = try ProgramLoop.get()
        reader = Task {
            var lines = InputLines(loop: loop)
            var asks = more.makeAsyncIterator()
            while !Task.isCancelled {
                if let line = await lines.next() {
                    output.yield(.line(line))
                } else {
                    output.yield(.end)
                    // A terminal goes on behind Control-D, when whoever reads wants more.
                    guard await asks.next() != nil else { return }
                    lines.goOn()
                }
            }
        }
    }

    /// Starts the events; to be called once.
    func stream() -> AsyncStream<Event> { events.stream }

    func yield(_ event: Event) { events.continuation.yield(event) }

    /// Reads on behind an ``Event/end``.
    func goOn() { wanted.continuation.yield() }

    func stop() {
        reader.cancel()
        interrupts.cancel()
    }
}

/// What a keyboard sends beside characters: arrows and other keys, which no barcode and no name has.
enum TypedText {
    /// `text` without escape sequences (ECMA-48, section 5.4) and without control characters.
    static func cleaned(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var scalars = text.unicodeScalars[...]
        while let next = scalars.popFirst() {
            guard next == "\u{1B}" else {
                if !next.isUnprintable || next == "\t" { kept.append(next == "\t" ? " " : next) }
                continue
            }
            switch scalars.first {
            case "["?:
                scalars.removeFirst()
                while let part = scalars.popFirst(), !(0x40...0x7E).contains(part.value) {}
            case "O"?: scalars = scalars.dropFirst(2)
            case _: break
            }
        }
        return String(kept)
    }
}
