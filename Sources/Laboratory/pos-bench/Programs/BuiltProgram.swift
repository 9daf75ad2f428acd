internal import Glibc
internal import Spawning

/// A program that runs beside the measure, its input and output in pipes.
final class BuiltProgram {
    let processIdentifier: pid_t
    private let process: ChildProcess
    private let name: String
    private let log: String
    /// Nil once closed.
    private var input: Int32?
    private var unread: [UInt8] = []
    private var status: Int32?

    /// - Parameter log: where its standard error goes.
    init(_ path: String, _ arguments: [String], log: String) throws(BenchFailure) {
        name = path.split(separator: "/").last.map(String.init) ?? path
        self.log = log
        process = try ProgramRun.start(path, arguments, input: .pipe, output: .pipe, log: log)
        processIdentifier = process.pid
        input = process.input
    }

    deinit {
        if status == nil { kill(processIdentifier, SIGKILL) }
        _ = wait()
        close(output)
    }

    func write(line: String) throws(BenchFailure) {
        guard let input else { return }
        let bytes = Array((line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("it does not read its input") }
            written += count
        }
    }

    /// Writes keys to a terminal program, without the end of a line.
    func press(_ keys: String) throws(BenchFailure) {
        guard let input else { return }
        let bytes = Array(keys.utf8)
        guard Glibc.write(input, bytes, bytes.count) == bytes.count else {
            throw failure("it does not read its input")
        }
    }

    /// Drops what it has printed until `milliseconds` pass without more.
    ///
    /// - Returns: whether it printed anything.
    @discardableResult
    func drain(_ milliseconds: Int32) throws(BenchFailure) -> Bool {
        var hasPrinted = false
        unread = []
        var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        while poll(&wait, 1, milliseconds) > 0 {
            guard readMore() else { throw failure("it ended") }
            hasPrinted = true
            unread = []
        }
        return hasPrinted
    }

    /// Waits for the next bytes of its output.
    func awaitOutput() throws(BenchFailure) {
        var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, 5_000) > 0 else { throw failure("it shows nothing within 5 s") }
    }

    /// The next line of its standard output.
    func readLine() throws(BenchFailure) -> String {
        while true {
            if let newline = unread.firstIndex(of: 10) {
                defer { unread.removeSubrange(...newline) }
                return String(decoding: unread[..<newline], as: UTF8.self)
            }
            guard readMore() else { throw failure("it ended") }
        }
    }

    /// The next line of its standard output; nil when none comes within `milliseconds`.
    func readLine(within milliseconds: Int32) throws(BenchFailure) -> String? {
        while !unread.contains(10) {
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, milliseconds) > 0 else { return nil }
            guard readMore() else { throw failure("it ended") }
        }
        return try readLine()
    }

    /// Ends its input and takes all that it prints until it ends.
    ///
    /// - Throws: when it ends with another exit code than 0.
    func finish() throws(BenchFailure) -> String {
        closeInput()
        while readMore() {}
        let code = wait()
        guard code == 0 else { throw failure("it ended with \(code)") }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Ends it the polite way and waits until it is gone.
    func stop() {
        guard status == nil else { return }
        kill(processIdentifier, SIGTERM)
        _ = wait()
    }

    func failure(_ detail: String) -> BenchFailure {
        .programFailed(name: name, detail: detail, lastErrors: TextFile.lastLine(of: log))
    }

    /// Whether it is gone; queries without waiting.
    var hasEnded: Bool {
        if status == nil { status = process.endingIfAny()?.code }
        return status != nil
    }

    private var output: Int32 { process.output ?? -1 }

    private func closeInput() {
        if let input { close(input) }
        input = nil
    }

    private func wait() -> Int32 {
        if let status { return status }
        closeInput()
        let code = process.wait()?.code ?? -1
        status = code
        return code
    }

    private func readMore() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            unread += chunk[..<count]
            return true
        }
    }
}
