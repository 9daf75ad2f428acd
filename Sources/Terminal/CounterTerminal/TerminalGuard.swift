internal import Glibc

/// Puts the terminal back as it was at every end of the program: a normal one, an error, a signal that ends
/// it, and a crash.
///
/// A handler of a signal may do little: it sets back what `tcgetattr` found before and writes bytes that were
/// made before, then the signal does what it would have done.
final class TerminalGuard: @unchecked Sendable {
    static let shared = TerminalGuard()

    /// Signals that end a process: of people, of the system, and of a program's own faults.
    private static let signals: [Int32] = [
        SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS,
    ]
    private var isActive = false
    /// What each signal did before.
    private var before: [sigaction] = []
    private var handlesExit = false

    private init() {}

    /// - Returns: false where there is no terminal.
    func begin() -> Bool {
        guard tcgetattr(STDIN_FILENO, found) == 0 else { return false }
        isActive = true
        active.pointee = 1
        // Made now: a handler must not make anything.
        _ = restoring.count
        before = []
        for number in Self.signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = restoreAndRaise
            // The default again inside the handler, on the stack that is left after an overflow.
            action.sa_flags = Int32(
                bitPattern: UInt32(SA_RESETHAND) | UInt32(SA_NODEFER) | UInt32(SA_ONSTACK))
            var old = sigaction()
            sigaction(number, &action, &old)
            before.append(old)
        }
        if !handlesExit { atexit { restoreTerminal() } }
        handlesExit = true
        return true
    }

    /// Gives the terminal back; nothing where it has been given back.
    ///
    /// - Parameter isRestored: ncurses has done it, and its end moved the cursor to where the program began.
    func end(isRestored: Bool = false) {
        guard isActive else { return }
        isActive = false
        if isRestored { active.pointee = 0 } else { restoreTerminal() }
        for (number, var old) in zip(Self.signals, before) { sigaction(number, &old, nil) }
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// What a handler of a signal may read: memory that is made before and never freed.
private nonisolated(unsafe) let found = UnsafeMutablePointer<termios>.allocate(capacity: 1)
private nonisolated(unsafe) let active: UnsafeMutablePointer<sig_atomic_t> = {
    let active = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
    active.pointee = 0
    return active
}()

/// Bracketed paste off, attributes off, cursor shown, line wrap on, the screen of before: what xterm, the
/// Linux console, tmux and screen have in common. What a terminal does not know it leaves out.
private nonisolated(unsafe) let restoring: (bytes: UnsafeMutablePointer<UInt8>, count: Int) = {
    let text = Array("\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l\r".utf8)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
    bytes.update(from: text, count: text.count)
    return (bytes, text.count)
}()

private func restoreTerminal() {
    guard active.pointee != 0 else { return }
    active.pointee = 0
    _ = Glibc.write(STDOUT_FILENO, restoring.bytes, restoring.count)
    tcsetattr(STDIN_FILENO, TCSADRAIN, found)
}

private func restoreAndRaise(_ number: Int32) {
    restoreTerminal()
    raise(number)
}
