import Foundation
import Spawning

/// Runs a program of the system to its end.
package enum Command {
    /// - Parameters:
    ///   - environment: laid over the test's own.
    ///   - folder: where it starts; nil: where the test is.
    /// - Returns: its standard output.
    /// - Throws: ``CommandError`` when it cannot be started or does not end with 0.
    @discardableResult
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
    ) throws -> String {
        let end = try finish(arguments, environment: environment, in: folder)
        guard end.code == 0 else {
            throw CommandError(
                command: arguments.joined(separator: " "), status: end.code, words: end.errors)
        }
        return end.output
    }

    /// The same for one whose exit code is the result.
    package static func finish(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
    ) throws -> (code: Int32, output: String, errors: String) {
        let process: ChildProcess
        do throws(SpawnError) {
            process = try ChildProcess(
                arguments[0], Array(arguments.dropFirst()),
                environment: ChildProcess.ownEnvironment.merging(environment) { $1 }, folder: folder,
                output: .pipe, errors: .pipe)
        } catch {
            throw CommandError(command: arguments.joined(separator: " "), status: -1, words: "\(error)")
        }
        let errors = LineBuffer(reading: process.errors)
        let output = process.output.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
        let text = output?.readDataToEndOfFile() ?? Data()
        _ = errors.waitForEnd(seconds: 600)
        let code = process.wait()?.code ?? -1
        return (code, String(decoding: text, as: UTF8.self), errors.lines.joined(separator: "\n"))
    }
}

/// How a command failed.
package struct CommandError: Error, Equatable {
    package let command: String
    package let status: Int32
    package let words: String

    package init(command: String, status: Int32, words: String) {
        self.command = command
        self.status = status
        self.words = words
    }
}
