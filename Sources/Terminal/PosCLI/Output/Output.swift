internal import Base
internal import AgentAPI
internal import LinuxRuntime
internal import Foundation
internal import Glibc
package import HubProtocol
internal import Synchronization
internal import Agent

/// What the commands write: documents to standard output, words for people to standard error or output.
///
/// Nothing that comes from people or peers acts on the screen: what would is replaced here, whatever it was
/// printed for, and within JSON it is escaped.
package enum Output {
    /// Where the commands of a task write: the program's two streams, unless somebody reads them in this
    /// process.
    @TaskLocal static var target = OutputTarget { text, descriptor in OutputTarget.write(text, to: descriptor)
    }

    /// The words in the language of the till, or of whoever looks before an agent was heard.
    static var words: any PosTexts { target.language.withLock(\.self).posTexts }

    /// What a command found wrong with its arguments, for whoever gets no more than the text of it; nil:
    /// nothing.
    static var usageFault: UsageFault? { target.usageFault.withLock(\.self) }

    /// Keeps what is wrong with the arguments.
    static func note(_ fault: UsageFault) { target.usageFault.withLock { $0 = fault } }

    /// An agent responded.
    static func note(_ response: AgentResponse) { speak(response.language.flatMap(Language.init)) }

    /// Goes on in `language`; nil changes nothing.
    static func speak(_ language: Language?) {
        guard let language else { return }
        target.language.withLock { $0 = language }
    }

    /// One line on standard output, written at once.
    package static func line(_ text: String) {
        write(text.printableLines + "\n", to: STDOUT_FILENO)
    }

    /// A line in the colour of its level, as the full screen has it.
    static func line(_ text: String, _ level: BannerAdvice.Level) {
        write(coloured(text.printableLines, usesColour ? level : nil) + "\n", to: STDOUT_FILENO)
    }

    /// - Parameter level: nil: without colour.
    static func coloured(_ text: String, _ level: BannerAdvice.Level?) -> String {
        // SGR of ECMA-48: green, black on yellow, white on red.
        switch level {
        case nil: text
        case .calm?: "\u{1B}[32m" + text + "\u{1B}[0m"
        case .alert?: "\u{1B}[30;43m" + text + "\u{1B}[0m"
        case .stopped?: "\u{1B}[37;41m" + text + "\u{1B}[0m"
        }
    }

    /// The command's one JSON document.
    package static func document(_ value: JSONValue) {
        target.hasDocument.store(true, ordering: .relaxed)
        line(of: value)
    }

    /// One of many JSON documents, each on a line of its own.
    static func line(of value: JSONValue) {
        write(value.canonicalText.printableJSON + "\n", to: STDOUT_FILENO)
    }

    /// The command line has `--json`: a failure is a document too, wherever it comes from.
    static func expectDocument() {
        target.isForPrograms.store(true, ordering: .relaxed)
    }

    /// Why the command failed: a line for people, and for programs a document where the command's own was not
    /// printed, since there is one at most.
    static func failure(_ failure: TerminalError) {
        if target.isForPrograms.load(ordering: .relaxed), !target.hasDocument.load(ordering: .relaxed) {
            document(failure.failure.document)
        }
        error(failure.failure.text(in: words.language))
    }

    /// A note for people that must not disturb the documents.
    static func note(_ text: String) {
        write(text.printableLines + "\n", to: STDERR_FILENO)
    }

    /// An error: one line.
    static func error(_ text: String) {
        write("pos: " + text.printable + "\n", to: STDERR_FILENO)
    }

    /// Whether colour may be used: a terminal, and no `NO_COLOR`.
    package static var usesColour: Bool {
        isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Text without line break, for prompts.
    static func text(_ text: String) {
        write(text.printable, to: STDOUT_FILENO)
    }

    /// Text as it is, with its own movements of the cursor and its own colours: of the line editor, and of
    /// a screen that is shown as a picture. Whoever calls it lets nothing through that people wrote.
    package static func draw(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// A line that takes the place of the one before it, on a terminal alone.
    static func rewrite(_ text: String) {
        guard isTerminal else { return }
        // Eighty columns are what the shortest terminals have; what stands behind is the line before.
        let gap = String(repeating: " ", count: max(0, 79 - text.count))
        write("\r" + text.printable + gap, to: STDOUT_FILENO)
    }

    /// Whether people read standard output as it is written.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether something that was written to standard output reached nobody: its reader is gone, or its disk
    /// is full.
    static var isLost: Bool { target.isLost.load(ordering: .relaxed) }

    /// Ends the program with its reader, which nothing else would notice until the next change is written.
    static func endWithReader() {
        guard let loop = try? ProgramLoop.get() else { return }
        loop.enqueue {
            // Errors and hang-ups come without an interest. A plain file has neither and cannot be watched.
            _ = try? loop.watch(STDOUT_FILENO, for: []) { _ in exit(0) }
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        guard !target.take(text, descriptor), descriptor == STDOUT_FILENO else { return }
        target.isLost.store(true, ordering: .relaxed)
    }
}

/// What takes the output of one command line, and what it took so far.
final class OutputTarget: Sendable {
    /// The command line has `--json`.
    fileprivate let isForPrograms = Atomic(false)
    /// That of the till; that of the environment before an agent responded.
    fileprivate let language = Mutex(Language(environment: ProcessInfo.processInfo.environment))
    fileprivate let usageFault = Mutex<UsageFault?>(nil)
    /// The command's one document was written.
    fileprivate let hasDocument = Atomic(false)
    /// Something for standard output reached nobody.
    fileprivate let isLost = Atomic(false)
    /// Takes a text for standard output or standard error; false where it reached nobody.
    fileprivate let take: @Sendable (String, Int32) -> Bool

    init(_ take: @escaping @Sendable (String, Int32) -> Bool) {
        self.take = take
    }

    /// Writes all of `text`; false where the descriptor does not take it.
    fileprivate static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = ArraySlice(text.utf8)
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
