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

    /// What to say of the first word that is no command: the nearest one, or else all where they are few; nil
    /// where every word is a command, and where nothing helps.
    ///
    /// - Parameter arguments: those of the program, without its name; nothing behind an option counts.
    package func advice(on arguments: some Sequence<String>) -> String? {
        var (command, path) = (self, name)
        for argument in arguments where !command.commands.isEmpty {
            guard !argument.hasPrefix("-") else { return nil }
            if let known = command.commands.first(where: { $0.name == argument }) {
                (command, path) = (known, path + " " + argument)
                continue
            }
            let begin = "there is no command `\(path) \(argument.prefix(40).printable)`; "
            if let meant = command.nearest(to: argument) {
                return begin + "did you mean `\(path) \(meant.name)`?"
            }
            guard !command.takesOtherWords, command.commands.count <= Self.few else { return nil }
            return begin + "there are: " + command.commands.map(\.name).joined(separator: ", ")
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
