internal import Foundation
internal import Glibc
internal import Spawning
internal import Agent

/// A program of this project that runs beside the demo and goes with it.
final class ChildProgram {
    private let process: ChildProcess
    private let output: FileHandle
    private var unread = Data()
    /// Nil while it runs, as far as is known.
    private var code: Int32?

    /// Starts `program`, found beside this executable.
    init(_ program: String, _ arguments: [String], environment: [String: String], log: String) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = (own as NSString).deletingLastPathComponent + "/" + program
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TerminalError(
                .unusable, code: "program_missing",
                text: { _ in "\(path) is missing; build it with `swift build --product \(program)`" })
        }
        process = try ChildProcess(
            path, arguments, environment: ChildProcess.ownEnvironment.merging(environment) { $1 },
            output: .pipe, errors: .file(log))
        output = process.output.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) } ?? .nullDevice
    }

    deinit {
        if code == nil { killHard() }
    }

    /// The next line of standard output; nil when the program ended.
    func readLine() -> String? {
        while true {
            if let newline = unread.firstIndex(of: 10) {
                let line = String(decoding: unread[unread.startIndex..<newline], as: UTF8.self)
                unread = Data(unread[unread.index(after: newline)...])
                return line
            }
            let more = output.availableData
            guard !more.isEmpty else { return nil }
            unread.append(more)
        }
    }

    /// Everything the program prints until it ends, and its exit code.
    func finish() -> (output: String, code: Int32) {
        let rest = output.readDataToEndOfFile()
        return (String(decoding: unread + rest, as: UTF8.self), wait())
    }

    /// Ends the program the hard way, as a power cut would.
    func killHard() { end(by: SIGKILL) }

    /// Ends the program the polite way.
    func stop() { end(by: SIGTERM) }

    private func end(by signal: Int32) {
        guard code == nil else { return }
        kill(process.pid, signal)
        _ = wait()
    }

    private func wait() -> Int32 {
        let ended = code ?? process.wait()?.code ?? -1
        code = ended
        return ended
    }
}
