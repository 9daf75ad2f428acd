internal import Glibc
internal import Agent

/// Reads PINs and codes where no other user can see them: without echo from the terminal, or as a line of
/// standard input.
enum PINEntry {
    /// What is read from standard input, one line for each.
    enum Secret {
        case cashier, approver, pin, enrolmentCode
    }

    /// No PIN and no enrolment code is longer, in bytes; what comes behind is another input's.
    private static let longest = 200

    /// One line of standard input; nothing behind its end is read.
    ///
    /// - Parameter secret: for the error.
    static func line(of secret: Secret) throws(TerminalError) -> String {
        guard let line = readLine(STDIN_FILENO), !line.isEmpty else {
            throw TerminalError(.usage, code: "pin_missing") { $0.pinLineMissing(of: secret) }
        }
        return line
    }

    /// The PIN of `person`, requested on the terminal that the program was started from.
    static func prompt(_ person: String) throws(TerminalError) -> String {
        let own = open("/dev/tty", O_RDWR | O_CLOEXEC)
        let terminal = own >= 0 ? own : STDIN_FILENO
        defer { if own >= 0 { close(own) } }
        guard isatty(terminal) == 1 else {
            throw TerminalError(.usage, code: "no_terminal") { $0.noTerminal(for: person) }
        }
        let prompt = Array(Output.words.pin(of: person).utf8)
        _ = prompt.withUnsafeBytes { write(own >= 0 ? own : STDERR_FILENO, $0.baseAddress, $0.count) }
        let typed = withoutEcho(on: terminal, byKey: true) { readKeys(terminal) }
        _ = write(own >= 0 ? own : STDERR_FILENO, "\n", 1)
        guard let typed else { throw TerminalError(.usage, code: "pin_missing") { $0.noPINEntered } }
        return typed
    }

    /// Runs `body` while `terminal` shows nothing of what is typed; what is no terminal stays as it is.
    ///
    /// Control-C is a key meanwhile: it would end the program and leave the terminal without echo.
    ///
    /// - Parameter byKey: whether each key is handed on at once, and not line by line.
    static func withoutEcho<Value>(on terminal: Int32, byKey: Bool, _ body: () -> Value) -> Value {
        guard let before = hideInput(of: terminal, byKey: byKey) else { return body() }
        defer { restore(before, of: terminal) }
        return body()
    }

    /// Ends the echo; nil where there is none.
    ///
    /// - Parameter keepsSignals: Control-C stays a signal, for a caller that handles it.
    static func hideInput(of terminal: Int32, byKey: Bool, keepsSignals: Bool = false) -> termios? {
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | (keepsSignals ? 0 : ISIG) | (byKey ? ICANON : 0))
        return tcsetattr(terminal, TCSAFLUSH, &silent) == 0 ? before : nil
    }

    static func restore(_ before: termios, of terminal: Int32) {
        var before = before
        tcsetattr(terminal, TCSAFLUSH, &before)
    }

    /// What is typed up to the return key; nil after Control-C, Control-D or the end.
    private static func readKeys(_ terminal: Int32) -> String? {
        var typed: [UInt8] = []
        while typed.count <= longest {
            guard let byte = readByte(terminal) else { return nil }
            switch byte {
            case 0x0A, 0x0D: return typed.isEmpty ? nil : String(decoding: typed, as: UTF8.self)
            case 0x03, 0x04: return nil
            case 0x08, 0x7F: _ = typed.popLast()
            default: typed.append(byte)
            }
        }
        return nil
    }

    private static func readLine(_ descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        while bytes.count <= longest {
            guard let byte = readByte(descriptor) else { break }
            if byte == 0x0A { break }
            bytes.append(byte)
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        return bytes.isEmpty || bytes.count > longest ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func readByte(_ descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}
