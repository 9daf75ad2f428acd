import Foundation
import Glibc
import Spawning
import Synchronization

/// A program at a pseudo terminal of 80 × 24, and what its screen shows.
///
/// The screen is a small model of xterm: characters, the cursor's moves, erasing. Colours are left out.
package final class TerminalUnderTest: Sendable {
    package let processIdentifier: Int32
    private let master: Int32
    private let process: ChildProcess
    private let screen = Mutex(ScreenModel(columns: 80, rows: 24))

    /// Starts the program `name` of the package.
    ///
    /// - Throws: ``ProgramError`` when it is not built or cannot be started.
    package init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let path = ProgramUnderTest.directory.appendingPathComponent(name).path
        guard access(path, X_OK) == 0 else { throw ProgramError.notBuilt(path: path) }
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Linux: unlocks the other end (TIOCSPTLCK) and gives its number (TIOCGPTN).
        var (unlocked, number): (Int32, UInt32) = (0, 0)
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0,
            ioctl(master, 0x8004_5430, &number) == 0
        else { throw ProgramError.notStarted(path: "a pseudo terminal", errno: errno) }
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(slave) }
        var variables = ChildProcess.ownEnvironment.merging(environment) { $1 }
        variables["TERM"] = "xterm"
        variables["LANG"] = "C.UTF-8"
        do throws(SpawnError) {
            process = try ChildProcess(
                path, arguments, environment: variables, input: .descriptor(slave),
                output: .descriptor(slave), errors: .descriptor(slave))
        } catch {
            throw ProgramError.notStarted(path: error.path, errno: error.code)
        }
        processIdentifier = process.pid
        Thread.detachNewThread { [self] in readAll() }
    }

    deinit {
        if process.endingIfAny() == nil { kill(processIdentifier, SIGKILL) }
        close(master)
    }

    private func readAll() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &bytes, bytes.count)
            guard count > 0 else { return }
            screen.withLock { $0.take(bytes[..<count]) }
        }
    }

    /// Types as a person or a scanner does.
    package func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    /// The rows of the screen.
    package var text: String { screen.withLock(\.text) }
    /// Whether the program uses the screen that is left when it ends.
    package var isOnOtherScreen: Bool { screen.withLock(\.isOnOtherScreen) }

    /// Waits until the screen `matches`, at most `seconds`.
    ///
    /// - Returns: whether it did.
    package func shows(within seconds: Double = 30, where matches: (String) -> Bool) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if matches(text) { return true }
            // Halved, twice the looks; doubled, a test of ten screens takes a second longer.
            usleep(50_000)
        }
        return false
    }

    /// Waits until the screen shows `part`.
    package func shows(_ part: String, within seconds: Double = 30) -> Bool {
        shows(within: seconds) { $0.contains(part) }
    }

    /// Waits for the program's end, at most `seconds`.
    ///
    /// - Returns: its exit code, or 128 plus the signal; nil while it runs.
    package func exitCode(within seconds: Double = 30) -> Int32? {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if let ending = process.endingIfAny() { return ending.code }
            usleep(50_000)
        }
        return nil
    }
}

/// The cells of a terminal, as far as ncurses writes to an xterm.
struct ScreenModel: Sendable {
    private let columns: Int
    private let rows: Int
    private var cells: [[Character]]
    private var row = 0
    private var column = 0
    private var pending: [UInt8] = []
    private var last: Character = " "
    private(set) var isOnOtherScreen = false

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// Rows without the spaces at their ends. A wide character's second cell is left out.
    var text: String {
        cells.map { row in
            var line = String(row.filter { $0 != Self.continuation })
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    private static let continuation: Character = "\u{0}"

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        pending += bytes
        while let used = step(), used > 0 { pending.removeFirst(used) }
    }

    /// How many bytes the next piece has; nil while it is not complete.
    private mutating func step() -> Int? {
        guard let first = pending.first else { return nil }
        if first == 0x1B { return escape() }
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard pending.count >= length else { return nil }
        switch first {
        case 0x08: column = max(0, column - 1)
        case 0x09: column = min(columns - 1, (column / 8 + 1) * 8)
        case 0x0A: row = min(rows - 1, row + 1)
        case 0x0D: column = 0
        case 0x00..<0x20, 0x7F: break
        default:
            for character in String(decoding: pending.prefix(length), as: UTF8.self) { put(character) }
        }
        return length
    }

    private mutating func put(_ character: Character) {
        last = character
        guard row < rows, column < columns else { return }
        cells[row][column] = character
        column += 1
        let scalar = character.unicodeScalars.first?.value ?? 0
        guard scalar >= 0x2E80, column < columns else { return }
        cells[row][column] = Self.continuation
        column += 1
    }

    private mutating func escape() -> Int? {
        guard pending.count >= 2 else { return nil }
        guard pending[1] == UInt8(ascii: "[") else {
            // Character sets take one byte more, everything else none.
            let isSet = pending[1] == UInt8(ascii: "(") || pending[1] == UInt8(ascii: ")")
            return isSet ? (pending.count >= 3 ? 3 : nil) : 2
        }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            return nil
        }
        let text = String(decoding: pending[2..<end], as: UTF8.self)
        if text == "?1049" { isOnOtherScreen = pending[end] == UInt8(ascii: "h") }
        perform(Unicode.Scalar(pending[end]), text.split(separator: ";").map { Int($0) ?? 0 })
        return end + 1
    }

    private mutating func perform(_ command: Unicode.Scalar, _ numbers: [Int]) {
        let count = max(1, numbers.first ?? 1)
        switch command {
        case "H", "f":
            row = min(rows, max(1, numbers.first ?? 1)) - 1
            column = min(columns, max(1, numbers.count > 1 ? numbers[1] : 1)) - 1
        case "A": row = max(0, row - count)
        case "B": row = min(rows - 1, row + count)
        case "C": column = min(columns - 1, column + count)
        case "D": column = max(0, column - count)
        case "G": column = min(columns, count) - 1
        case "d": row = min(rows, count) - 1
        case "X": erase(row, column..<min(columns, column + count))
        case "K":
            switch numbers.first ?? 0 {
            case 1: erase(row, 0..<column + 1)
            case 2: erase(row, 0..<columns)
            default: erase(row, column..<columns)
            }
        case "J": eraseScreen(numbers.first ?? 0)
        case "b": for _ in 0..<count { put(last) }
        case "P":
            cells[row].removeSubrange(column..<min(columns, column + count))
            cells[row] += Array(repeating: " ", count: columns - cells[row].count)
        case "@":
            cells[row].insert(contentsOf: Array(repeating: " ", count: count), at: column)
            cells[row].removeLast(cells[row].count - columns)
        default: break
        }
    }

    private mutating func eraseScreen(_ kind: Int) {
        if kind == 0 { erase(row, column..<columns) }
        for line in (kind == 2 ? 0 : row + 1)..<max(row + 1, rows) where line < rows {
            erase(line, 0..<columns)
        }
    }

    private mutating func erase(_ line: Int, _ range: Range<Int>) {
        for place in range where place < columns { cells[line][place] = " " }
    }
}
