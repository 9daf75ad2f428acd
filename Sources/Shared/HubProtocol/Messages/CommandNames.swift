/// A program's commands by name, to find the one that was meant by a mistyped one.
package struct CommandNames: Hashable, Sendable {
    private let name: String
    private let commands: [CommandNames]
    private let takesOtherWords: Bool

    /// A command with those below it; none: it takes arguments alone.
    ///
    /// - Parameter takesOtherWords: a word that is none of `commands` may be an argument. Default false.
    package init(_ name: String, _ commands: [CommandNames] = [], takesOtherWords: Bool = false) {
        (self.name, self.commands, self.takesOtherWords) = (name, commands, takesOtherWords)
    }

    /// What helps with a word that is no command.
    package enum Advice: Hashable, Sendable {
        /// The word as it was typed behind the program and the commands before it, and the command that it is
        /// near to with the same begin.
        case meant(String, typed: String)
        /// Nothing is near; the commands that there are.
        case all([String], typed: String)

        /// The advice as an English sentence.
        package var text: String {
            switch self {
            case .meant(let command, let typed):
                "there is no command `\(typed)`; did you mean `\(command)`?"
            case .all(let commands, let typed):
                "there is no command `\(typed)`; there are: " + commands.joined(separator: ", ")
            }
        }
    }

    /// What helps with the first word that is no command: the nearest one, or else all where they are few;
    /// nil where every word is a command, and where nothing helps.
    ///
    /// - Parameter arguments: those of the program, without its name; nothing behind an option counts.
    package func advice(on arguments: some Sequence<String>) -> Advice? {
        var (command, path) = (self, name)
        for argument in arguments where !command.commands.isEmpty {
            guard !argument.hasPrefix("-") else { return nil }
            if let known = command.commands.first(where: { $0.name == argument }) {
                (command, path) = (known, path + " " + argument)
                continue
            }
            let typed = "\(path) \(argument.prefix(40).printable)"
            if let meant = command.nearest(to: argument) {
                return .meant("\(path) \(meant.name)", typed: typed)
            }
            guard !command.takesOtherWords, command.commands.count <= Self.few else { return nil }
            return .all(command.commands.map(\.name), typed: typed)
        }
        return nil
    }

    /// A line of names that is read at one look; a program's own thirty are in its help.
    private static let few = 10

    /// One edit for each three letters, at most two: with three `foo` would become `note`; with one alone the
    /// most frequent slip, two letters in the wrong order, would find nothing.
    private func nearest(to typed: String) -> CommandNames? {
        let begun = commands.filter { typed.count >= 3 && $0.name.hasPrefix(typed) }
        if begun.count == 1 { return begun[0] }
        let most = min(2, max(1, typed.count / 3))
        return commands.map { (command: $0, edits: editDistance(typed.lowercased(), $0.name)) }
            .filter { $0.edits <= most }.min { $0.edits < $1.edits }?.command
    }
}
