internal import Counter
@preconcurrency internal import Dispatch
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Pricing
internal import Synchronization

/// The row of the terminal on which a person types, with its keys read one by one: arrows, corrections and
/// characters of several bytes work as they do in a shell.
///
/// The terminal is as it was before at every end of the program that the program can notice: the last line,
/// `exit`, SIGTERM, SIGHUP, SIGQUIT, and while it is stopped (SIGTSTP).
final class TerminalLine: Sendable {
    /// What a person did.
    enum Event: Equatable {
        case line(String)
        /// Control-D on an empty line.
        case end
    }

    private struct State {
        var keys = KeyDecoder()
        var editor = LineEditor()
        var prompt = ""
        var isHidden = false
        /// The columns of the line that was left last, with its prompt.
        var left = 0
        /// Whether the row is on the screen; what is typed while it is not is kept for the next one.
        var isShown = false
    }

    private let state = Mutex(State())
    private let signals: [any DispatchSourceSignal]

    /// Nil where input or output is no terminal, or one that cannot move its cursor.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            ProcessInfo.processInfo.environment["TERM"] != "dumb", TerminalKeys.readSingly()
        else { return nil }
        signals = [SIGTERM, SIGHUP, SIGQUIT, SIGTSTP].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number)
        }
        for (source, number) in zip(signals, [SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]) {
            source.setEventHandler { [weak self] in
                TerminalKeys.restore()
                Self.raiseByDefault(number)
                // Behind it again after SIGTSTP alone, once the shell has brought the program back.
                _ = TerminalKeys.readSingly()
                self?.redraw()
            }
            source.resume()
        }
    }

    /// Lets the system do with a signal what it does to a program that handles none.
    private static func raiseByDefault(_ number: Int32) {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        raise(number)
        signal(number, SIG_IGN)
    }

    /// Gives the terminal back.
    func stop() {
        for source in signals { source.cancel() }
        for number in [SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { signal(number, SIG_DFL) }
        TerminalKeys.restore()
    }

    /// Takes what the keys sent.
    func take(_ bytes: [UInt8]) -> [Event] {
        state.withLock { state in
            var events: [Event] = []
            for key in state.keys.take(bytes).flatMap(\.pressed) {
                switch state.editor.take(key) {
                case .nothing: continue
                case .changed: continue
                case .line(let line):
                    if state.isShown { Self.leave(&state, showing: line) }
                    events.append(.line(line))
                case .end:
                    state.isShown = false
                    events.append(.end)
                }
            }
            Self.draw(state)
            return events
        }
    }

    /// Begins a row; what was typed ahead is on it.
    ///
    /// - Parameter isHidden: nothing of what is typed is shown.
    func prompt(_ prompt: String, isHidden: Bool = false) {
        state.withLock { state in
            state.prompt = prompt.printable
            state.isHidden = isHidden
            state.isShown = true
            Self.draw(state)
        }
    }

    /// Shows a line that was typed ahead, as though it had been typed now.
    func show(_ line: String) {
        state.withLock { state in
            if state.isShown { Self.leave(&state, showing: line) }
        }
    }

    /// Keeps a line for the arrow keys.
    func remember(_ line: String) {
        state.withLock { $0.editor.remember(line) }
    }

    /// Hides the line that was left and remembered last: nothing was written below its row since. One that
    /// wrapped stays as it is.
    func hideLast() {
        state.withLock { state in
            state.editor.forgetLast()
            guard !state.isShown, state.left < TerminalKeys.columns else { return }
            Output.draw(
                "\u{1B}[A\r" + state.prompt + UnknownCode.hidden + LineEditor.eraseRest + "\n")
        }
    }

    /// Takes the row off the screen, for a line that is written in its place.
    func clear() {
        state.withLock { state in
            if state.isShown { Output.draw("\r" + LineEditor.eraseRest) }
            state.isShown = false
        }
    }

    /// Drops what is typed so far, as Control-C does.
    func discard() {
        state.withLock { state in
            state.keys.discard()
            state.editor.discard()
            state.isShown = false
        }
    }

    private func redraw() { state.withLock { Self.draw($0) } }

    private static func draw(_ state: State) {
        guard state.isShown else { return }
        Output.draw(
            state.editor.row(behind: state.prompt, columns: TerminalKeys.columns, isHidden: state.isHidden))
    }

    private static func leave(_ state: inout State, showing line: String) {
        let shown = state.isHidden ? "" : line.printable
        state.left = TextWidth.columns(state.prompt + shown)
        Output.draw("\r" + state.prompt + shown + LineEditor.eraseRest + "\n")
        state.isShown = false
    }
}

/// How the terminal of standard input hands over keys. One program has one such terminal.
enum TerminalKeys {
    /// What is to be restored; nil while the terminal is as it was found.
    private static let before = Mutex<termios?>(nil)

    /// Keys come one by one and without echo. Control-C and its kin stay signals.
    ///
    /// - Returns: whether they do.
    static func readSingly() -> Bool {
        let isFirst: Bool? = before.withLock { before in
            guard before == nil else { return false }
            var found = termios()
            guard tcgetattr(STDIN_FILENO, &found) == 0 else { return nil }
            var single = found
            single.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Control-S would stop the screen of a till, and nobody there knows Control-Q.
            single.c_iflag &= ~tcflag_t(IXON)
            guard tcsetattr(STDIN_FILENO, TCSADRAIN, &single) == 0 else { return nil }
            before = found
            return true
        }
        if isFirst == true { atexit { TerminalKeys.restore() } }
        return isFirst != nil
    }

    static func restore() {
        before.withLock { before in
            guard var found = before else { return }
            before = nil
            tcsetattr(STDIN_FILENO, TCSADRAIN, &found)
        }
    }

    /// The columns of the screen; 80 where the terminal does not know, as the shortest ones have.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
