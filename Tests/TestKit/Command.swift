import Foundation

/// Runs a program of the system to its end.
public enum Command {
    /// - Returns: its standard output.
    /// - Throws: ``CommandError`` when it cannot be started or does not end with 0.
    @discardableResult
    public static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let words = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                command: arguments.joined(separator: " "), status: process.terminationStatus,
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
