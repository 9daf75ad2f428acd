internal import AgentAPI
internal import Counter
@preconcurrency internal import Dispatch
internal import Glibc
internal import HubProtocol
internal import Agent

/// All that the checkout waits for, in one order: what is typed, Control-C, the agent's response, a new
/// banner.
final class CheckoutInput: Sendable {
    enum Event: Sendable {
        case line(String)
        /// Control-D, or the end of what is piped in.
        case end
        case interrupt
        case responded(Result<AgentResponse, TerminalError>)
        case banner
        /// There is no agent.
        case agentGone
        /// Another agent responds.
        case agentBack
        /// A second has passed while a response is waited for.
        case tick
    }

    private let events = AsyncStream.makeStream(of: Event.self)
    private let wanted = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let interrupts: any DispatchSourceSignal
    private let reader: Task<Void, Never>
    /// Where a person types; nil for what is piped in.
    private let row: TerminalLine?

    /// From its making on Control-C no longer ends the process.
    init() throws(TerminalError) {
        let (output, more) = (events.continuation, wanted.stream)
        let loop = try ProgramLoop.get()
        let row = TerminalLine()
        self.row = row
        signal(SIGINT, SIG_IGN)
        interrupts = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupts.setEventHandler {
            row?.discard()
            output.yield(.interrupt)
        }
        interrupts.resume()
        reader = Task {
            var lines = InputLines(loop: loop)
            var requests = more.makeAsyncIterator()
            while !Task.isCancelled {
                if await Self.read(&lines, row, output) { continue }
                output.yield(.end)
                // A terminal goes on behind its end, when whoever reads wants more.
                guard await requests.next() != nil else { return }
                lines.goOn()
            }
        }
    }

    /// - Returns: whether there was anything before the end.
    private static func read(
        _ lines: inout InputLines, _ row: TerminalLine?, _ output: AsyncStream<Event>.Continuation
    ) async -> Bool {
        guard let row else {
            guard let line = await lines.next() else { return false }
            output.yield(.line(line))
            return true
        }
        guard let bytes = await lines.nextBytes() else { return false }
        for event in row.take(bytes) {
            switch event {
            case .line(let line): output.yield(.line(line))
            case .end: output.yield(.end)
            }
        }
        return true
    }

    /// Whether a person types at a terminal, which goes on behind Control-D.
    var isTyped: Bool { isatty(STDIN_FILENO) == 1 }

    /// Shows what the next line is typed behind.
    ///
    /// - Parameter isHidden: nothing of the line is shown. Only a terminal whose keys are read here can.
    /// - Returns: whether it is as requested.
    @discardableResult
    func prompt(_ text: String, isHidden: Bool = false) -> Bool {
        guard let row else {
            Output.text(text)
            return !isHidden
        }
        row.prompt(text, isHidden: isHidden)
        return true
    }

    /// A line was taken: one that was typed ahead is shown behind the prompt now.
    func take(_ line: String, isHidden: Bool = false) {
        row?.show(line)
        if !isHidden { row?.remember(line) }
    }

    /// The line that was taken last may be a PIN that was entered as a code: hides it in the row above, where
    /// the terminal can, and from the arrow keys.
    func hideLast() { row?.hideLast() }

    /// Makes room for a line of output in the place of the prompt.
    func clearPrompt() {
        guard let row else { return Output.line("") }
        row.clear()
    }

    /// Starts the events; to be called once.
    func stream() -> AsyncStream<Event> { events.stream }

    func yield(_ event: Event) { events.continuation.yield(event) }

    /// The end of an agent is known at once, and not with the next scan.
    func followAgent(of connection: FrontEndConnection) async {
        var isGone = false
        for await news in connection.statusNews() {
            switch news {
            case .agentGone:
                isGone = true
                yield(.agentGone)
            case .status where isGone:
                isGone = false
                yield(.agentBack)
            case .status: break
            }
        }
    }

    /// Reads on behind an ``Event/end``.
    func goOn() { wanted.continuation.yield() }

    func stop() {
        reader.cancel()
        interrupts.cancel()
        row?.stop()
    }
}

/// What a keyboard sends beside characters: arrows and other keys, which no barcode and no name has.
enum TypedText {
    /// `text` without escape sequences (ECMA-48, section 5.4) and without control characters.
    static func cleaned(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var keys = KeyDecoder()
        for key in keys.take(text.utf8).flatMap(\.pressed) {
            switch key {
            case .typed(let scalar), .alt(let scalar): kept.append(scalar)
            case .tab: kept.append(" ")
            default: break
            }
        }
        return String(kept)
    }
}
