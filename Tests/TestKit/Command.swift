import Foundation
import Glibc

/// Runs a program of the system to its end.
///
/// Not through Foundation's `Process`, which rarely crashes in `run`: a copy from memory that is not its own.
public enum Command {
    /// - Returns: its standard output.
    /// - Throws: ``CommandError`` when it cannot be started or does not end with 0.
    @discardableResult
    public static func run(_ arguments: [String]) throws -> String {
        let started: Started
        do {
            started = try Started("/usr/bin/env", arguments, [:])
        } catch {
            throw CommandError(command: arguments.joined(separator: " "), status: -1, words: "\(error)")
        }
        close(started.input)
        let status = ExitStatus()
        status.watch(started.pid)
        let errors = FileHandle(fileDescriptor: started.errors, closeOnDealloc: true)
        let output = FileHandle(fileDescriptor: started.output, closeOnDealloc: true)
        let text = output.readDataToEndOfFile()
        let words = errors.readDataToEndOfFile()
        let code = status.wait(seconds: 600) ?? -1
        guard code == 0 else {
            throw CommandError(
                command: arguments.joined(separator: " "), status: code,
                words: String(decoding: words, as: UTF8.self))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// How a command failed.
public struct CommandError: Error, Equatable {
    public let command: String
    public let status: Int32
    public let words: String

    public init(command: String, status: Int32, words: String) {
        self.command = command
        self.status = status
        self.words = words
    }
}
