internal import Foundation
internal import Glibc
internal import Terminal

/// A program of this project that runs beside the demo and goes with it.
final class ChildProgram {
    private let process = Process()
    private let output = Pipe()
    private var unread = Data()

    /// Starts `program`, found beside this executable.
    init(_ program: String, _ arguments: [String], environment: [String: String], log: String) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = (own as NSString).deletingLastPathComponent + "/" + program
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TerminalError(
                .unusable, code: "program_missing",
                "\(path) is missing; build it with `swift build --product \(program)`")
        }
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: log) ?? FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The next line of standard output; nil when the program ended.
    func readLine() -> String? {
        while true {
            if let newline = unread.firstIndex(of: 10) {
                let line = String(decoding: unread[unread.startIndex..<newline], as: UTF8.self)
                unread = Data(unread[unread.index(after: newline)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread.append(more)
        }
    }

    /// Everything the program prints until it ends, and its exit code.
    func finish() -> (output: String, code: Int32) {
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: unread + rest, as: UTF8.self), process.terminationStatus)
    }

    /// Ends the program the hard way, as a power cut would.
    func killHard() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Ends the program the polite way.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
