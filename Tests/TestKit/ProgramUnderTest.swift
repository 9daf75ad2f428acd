package import Foundation
import Glibc
import Spawning

/// A built program of the package, or another one beside it, started with its output in pipes and
/// killed by its pid at the end.
///
/// The built programs are looked for beside the test bundle, where the build puts both.
package final class ProgramUnderTest: @unchecked Sendable {
    // The pipes are closed once, by the reading threads and `closeInput`; everything else is immutable or
    // guarded by `status`.
    package let name: String
    package let processIdentifier: pid_t
    /// What the program has written to its standard output so far, line by line.
    package let output: LineBuffer
    /// What the program has written to its standard error so far, line by line.
    package let errors: LineBuffer
    private let input: FileHandle
    private let status = ExitStatus()

    /// Starts the program `name` with `arguments`; `environment` is laid over the test's own.
    ///
    /// - Parameter wrapper: a command that becomes the program, for example `ip netns exec NAME`.
    /// - Throws: ``ProgramError`` when it is not built or cannot be started.
    package convenience init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:],
        behind wrapper: [String] = []
    ) throws {
        let path = Self.directory.appendingPathComponent(name).path
        guard access(path, X_OK) == 0 else { throw ProgramError.notBuilt(path: path) }
        try self.init(command: wrapper + [path] + arguments, environment: environment, named: name)
    }

    /// Starts a program of the system.
    ///
    /// - Parameters:
    ///   - folder: where it starts; nil: where the test is.
    ///   - name: the value of ``name``; nil: the command's first word.
    package init(
        command: [String], environment: [String: String] = [:], in folder: String? = nil,
        named name: String? = nil
    ) throws {
        let process: ChildProcess
        do throws(SpawnError) {
            process = try ChildProcess(
                command[0], Array(command.dropFirst()),
                environment: ChildProcess.ownEnvironment.merging(environment) { $1 }, folder: folder,
                input: .pipe, output: .pipe, errors: .pipe)
        } catch {
            throw ProgramError.notStarted(path: error.path, errno: error.code)
        }
        self.name = name ?? command[0]
        processIdentifier = process.pid
        input = process.input.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) } ?? .nullDevice
        output = LineBuffer(reading: process.output)
        errors = LineBuffer(reading: process.errors)
        status.watch(process)
    }

    deinit {
        signal(SIGKILL)
    }

    /// The folder of the built programs.
    package static var directory: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Waits for a line of standard output that `matches`, at most `seconds`.
    ///
    /// - Returns: the first such line, also one that came before the call.
    /// - Throws: ``ProgramError/noSuchLine(program:output:errors:)`` when none came.
    @discardableResult
    package func line(within seconds: Double = 30, where matches: (String) -> Bool) throws -> String {
        if let line = output.firstLine(within: seconds, where: matches) { return line }
        throw ProgramError.noSuchLine(program: name, output: output.lines, errors: errors.lines)
    }

    /// Waits for a line of standard output that begins with `prefix`, at most `seconds`.
    ///
    /// - Returns: what follows the prefix.
    @discardableResult
    package func line(startingWith prefix: String, within seconds: Double = 30) throws -> String {
        String(try line(within: seconds) { $0.hasPrefix(prefix) }.dropFirst(prefix.count))
    }

    /// Writes one line to the program's standard input.
    package func write(line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes to the program's standard input as a person's keys do, without the return key.
    package func write(keys: String) throws {
        try input.write(contentsOf: Data(keys.utf8))
    }

    /// Ends the program's standard input.
    package func closeInput() {
        try? input.close()
    }

    /// Requests the program to end (`SIGTERM`).
    package func terminate() {
        signal(SIGTERM)
    }

    /// Ends the program at once (`SIGKILL`), and waits until it is gone.
    package func kill() {
        signal(SIGKILL)
        _ = status.wait(seconds: 10)
    }

    /// Sends `number` to this one process, if it still runs.
    package func signal(_ number: Int32) {
        if status.value == nil { Glibc.kill(processIdentifier, number) }
    }

    /// Waits for the end, at most `seconds`; nil when the program still runs.
    ///
    /// - Returns: the exit code, or 128 plus the signal that ended it.
    package func exitCode(within seconds: Double = 30) -> Int32? {
        guard let code = status.wait(seconds: seconds) else { return nil }
        _ = output.waitForEnd(seconds: 5)
        _ = errors.waitForEnd(seconds: 5)
        return code
    }

    /// Where a built program is.
    package static func path(of name: String) -> String { directory.appendingPathComponent(name).path }

    /// Runs a program to its end.
    ///
    /// - Parameter input: lines for its standard input, which ends behind them.
    /// - Throws: ``ProgramError/stillRunning(program:)`` after `seconds`; the program is killed then.
    package static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], input: [String] = [],
        behind wrapper: [String] = [], within seconds: Double = 60
    ) throws -> FinishedProgram {
        let program = try ProgramUnderTest(name, arguments, environment: environment, behind: wrapper)
        for line in input { try program.write(line: line) }
        program.closeInput()
        guard let code = program.exitCode(within: seconds) else {
            program.kill()
            throw ProgramError.stillRunning(program: name)
        }
        return FinishedProgram(exitCode: code, output: program.output.lines, errors: program.errors.lines)
    }
}

/// How a program ended.
package struct FinishedProgram: Sendable {
    /// The exit code, or 128 plus the signal that ended it.
    package let exitCode: Int32
    package let output: [String]
    package let errors: [String]

    /// The whole standard output.
    package var text: String { output.joined(separator: "\n") }
}

/// Why a program could not be tried.
package enum ProgramError: Error, Equatable {
    /// Build the package first; `swift test` does.
    case notBuilt(path: String)
    case notStarted(path: String, errno: Int32)
    /// The awaited line did not come; what came instead.
    case noSuchLine(program: String, output: [String], errors: [String])
    case stillRunning(program: String)
}
