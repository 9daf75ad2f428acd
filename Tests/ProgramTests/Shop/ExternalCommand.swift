import Foundation

/// Runs a command of the system that a test needs.
enum ExternalCommand {
    /// Why a command did not do its work: what it said.
    struct Failure: Error {
        let command: [String]
        let words: String
    }

    static func run(_ command: String...) throws {
        try run(command)
    }

    static func run(_ command: [String]) throws {
        let process = Process()
        let words = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = words
        process.standardError = words
        try process.run()
        let output = words.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(command: command, words: String(decoding: output, as: UTF8.self))
        }
    }
}
