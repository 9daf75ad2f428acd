package import Counter

internal import CNcurses
internal import Glibc

/// Shows frames by ncurses, which sends a terminal what has changed and nothing else.
///
/// ncurses has one terminal for a process, and so has this: make one, and use it on one thread.
/// Keys are not read by it: see ``KeyDecoder``. Its own handlers of signals are replaced by
/// ``TerminalGuard``'s.
package final class CursesScreen {
    private var attributes: [attr_t] = []
    private var shown: Frame?

    /// Nil where the terminal cannot move its cursor, or is none that ncurses knows.
    package init?() {
        Self.setLocale()
        guard Self.isPossible, TerminalGuard.shared.begin() else { return nil }
        // `initscr` ends the process for a terminal that it does not know.
        guard cncurses_begin() else {
            TerminalGuard.shared.end()
            return nil
        }
        raw()
        noecho()
        nonl()
        attributes = Self.styles(hasColors: has_colors() && start_color() == 0 && use_default_colors() == 0)
        TerminalGuard.shared.write("\u{1B}[?2004h")
    }

    /// Whether input and output are a terminal that can move its cursor.
    package static var isPossible: Bool {
        guard let kind = getenv("TERM"), strcmp(kind, "dumb") != 0 else { return false }
        return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    /// Gives the terminal back as it was.
    package func end() {
        TerminalGuard.shared.write("\u{1B}[?2004l")
        endwin()
        TerminalGuard.shared.end(isRestored: true)
    }

    /// Columns and rows of the window, by the terminal.
    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Characters of several bytes need a locale of UTF-8, which a session without settings does not have.
    private static func setLocale() {
        setlocale(LC_ALL, "")
        guard strcmp(nl_langinfo(Int32(CODESET)), "UTF-8") != 0 else { return }
        setlocale(LC_CTYPE, "C.UTF-8")
    }

    /// The attributes of every style. Bold, reverse and underline are enough where there are no colours.
    private static func styles(hasColors: Bool) -> [attr_t] {
        let (bold, reverse, underline, dim) = (
            cncurses_bold(), cncurses_reverse(), cncurses_underline(), cncurses_dim()
        )
        func pair(_ number: Int32, _ text: Int32, _ ground: Int32) -> attr_t {
            guard hasColors else { return 0 }
            init_pair(Int16(number), Int16(text), Int16(ground))
            return cncurses_color_pair(number)
        }
        let (black, red, green, yellow, blue, cyan, white):
            (Int32, Int32, Int32, Int32, Int32, Int32, Int32) =
                (0, 1, 2, 3, 4, 6, 7)
        var attributes = Array(repeating: attr_t(0), count: 16)
        func set(_ style: FrameStyle, _ plain: attr_t, _ color: attr_t, _ always: attr_t = 0) {
            attributes[Int(style.rawValue)] = (hasColors ? color : plain) | always
        }
        set(.bold, bold, bold)
        set(.dim, 0, hasColors ? pair(9, white, -1) | dim : dim)
        set(.title, reverse, pair(1, white, blue), bold)
        set(.calm, 0, pair(2, green, -1), bold)
        set(.alert, reverse, pair(3, black, yellow), bold)
        set(.stopped, reverse, pair(10, white, red), bold)
        set(.error, bold | underline, pair(4, red, -1) | bold)
        set(.heading, underline, pair(5, cyan, -1), underline)
        set(.selected, reverse, reverse)
        set(.key, reverse, pair(6, black, cyan))
        set(.total, bold, pair(7, yellow, -1), bold)
        set(.money, bold, bold)
        set(.border, 0, pair(8, cyan, -1))
        return attributes
    }

    /// Brings `frame` to the terminal.
    package func show(_ frame: Frame) {
        if shown?.columns != frame.columns || shown?.rows != frame.rows {
            resizeterm(Int32(frame.rows), Int32(frame.columns))
            erase()
            cncurses_redraw_all()
            shown = nil
        }
        for row in 0..<frame.rows {
            let range = row * frame.columns..<(row + 1) * frame.columns
            if let shown, shown.cells[range] == frame.cells[range] { continue }
            draw(frame.cells[range], row)
        }
        if let cursor = frame.cursor {
            curs_set(1)
            move(Int32(cursor.row), Int32(cursor.column))
        } else {
            curs_set(0)
        }
        refresh()
        shown = frame
    }

    /// Rings the terminal's bell.
    package func bell() { beep() }

    private func draw(_ cells: ArraySlice<Frame.Cell>, _ row: Int) {
        move(Int32(row), 0)
        var text: [wchar_t] = []
        var style = FrameStyle.plain
        func flush() {
            guard !text.isEmpty else { return }
            cncurses_set_attributes(attributes[Int(style.rawValue)])
            addnwstr(text, Int32(text.count))
            text.removeAll(keepingCapacity: true)
        }
        for cell in cells {
            if cell.style != style {
                flush()
                style = cell.style
            }
            guard let character = cell.character else { continue }
            for scalar in character.unicodeScalars { text.append(wchar_t(bitPattern: scalar.value)) }
        }
        flush()
    }
}
