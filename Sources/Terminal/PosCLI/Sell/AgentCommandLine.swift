internal import Agent
internal import AgentAPI
internal import ArgumentParser
internal import Foundation

/// Commands of the shell that the checkout runs on its own connection, so that what a banner names works
/// where the banner is shown.
enum AgentCommandLine {
    /// What needs the agent alone, takes no PIN from the keyboard, and sells nothing.
    private static let commands = [
        "sync rejected", "sync retry", "sync edit", "sync discard", "sync resolve", "sync status", "doctor ",
        "printer ", "status ", "history ", "qos ", "orders list", "orders show", "orders owed",
        "orders repay", "products ",
    ]
    /// Options that read the keyboard or do not end by themselves.
    private static let options: Set = ["--approver", "--approver-pin-stdin", "--pin-stdin", "--watch", "-"]

    /// Runs `line`, without `pos`, and prints its output.
    ///
    /// - Parameter person: who acts and who approves, as the checkout has them.
    /// - Throws: `not_here` for a command that works only outside, `wrong_usage` for one that cannot be read.
    static func run(
        _ line: String, on connection: any AgentConnection, as person: AgentPerson, _ text: any PosTexts
    ) async throws(TerminalError) {
        let words = words(of: line)
        let plain = words.joined(separator: " ") + " "
        guard commands.contains(where: plain.hasPrefix), options.isDisjoint(with: words) else {
            throw TerminalError(.usage, code: "not_here") { $0.worksOutside(line) }
        }
        do {
            var command = try PosCommand.parseAsRoot(words)
            try await HomeOptions.$connection.withValue(connection) {
                try await PersonOptions.$session.withValue(person) {
                    if var command = command as? any AsyncParsableCommand {
                        try await command.run()
                    } else {
                        try command.run()
                    }
                }
            }
        } catch let error as TerminalError {
            throw error
        } catch is ExitCode {
            // What was printed says why.
        } catch {
            let message = PosCommand.message(for: error).split(separator: "\n").joined(separator: " ")
            throw TerminalError(.usage, code: "wrong_usage") {
                $0.wrongUsage($0.usage(UsageFault(sentence: message)))
            }
        }
    }

    /// The words of a line; a text in quotation marks is one.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let ended = word { words.append(ended) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap(\.self)
    }
}
