import Glibc

/// The terminal on standard input, whose keys come one by one; as it was again when this is released.
final class TryTerminal {
    private var before = termios()

    /// Nil where standard input or output is none.
    init?() {
        guard isatty(0) == 1, isatty(1) == 1, tcgetattr(0, &before) == 0 else { return nil }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(0, TCSANOW, &raw)
        write("\u{1B}[?1049h\u{1B}[?25l")
    }

    deinit {
        write("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(0, TCSANOW, &before)
    }

    func show(_ lines: [String]) {
        write("\u{1B}[H" + lines.map { "\($0)\u{1B}[K\r\n" }.joined() + "\u{1B}[J")
    }

    /// The next key; nil: none came within `milliseconds`.
    func key(within milliseconds: Int32) -> Character? {
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, milliseconds) > 0 else { return nil }
        var byte: UInt8 = 0
        // At the end of the input the program ends as by `q`.
        guard read(0, &byte, 1) == 1 else { return "q" }
        return Character(Unicode.Scalar(byte))
    }

    /// Ends the program at once.
    static func exit(_ code: Int32) { Glibc.exit(code) }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
