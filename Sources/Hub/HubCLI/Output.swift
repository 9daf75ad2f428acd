internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Synchronization

/// What the commands write: results to standard output, one line for each failure and warning to standard
/// error.
enum Output {
    /// Where the commands of a task write: the program's two streams, unless somebody reads them in this
    /// process.
    @TaskLocal static var target = OutputTarget { text, descriptor in
        let stream: FileHandle = descriptor == STDOUT_FILENO ? .standardOutput : .standardError
        stream.write(Data(text.utf8))
    }

    /// Text for people on standard output, as it is, with a line break behind it.
    static func line(_ text: String) {
        target.write(text + "\n", STDOUT_FILENO)
    }

    /// The command's one JSON document.
    static func document(_ value: JSONValue) {
        target.hasDocument.store(true, ordering: .relaxed)
        line(value.canonicalText.printableJSON)
    }

    /// The command line has `--json`: a failure is a document too, wherever it comes from.
    static func expectDocument() {
        target.isForPrograms.store(true, ordering: .relaxed)
    }

    /// Why the command failed: a line for people, and for programs a document where the command's own was not
    /// printed, since there is one at most.
    static func failure(_ failure: CommandFailure) {
        if target.isForPrograms.load(ordering: .relaxed), !target.hasDocument.load(ordering: .relaxed) {
            document(failure.document)
        }
        for mistake in failure.mistakes { error("pos-hub: \(mistake)") }
        error("pos-hub: \(failure.line)")
    }

    static func warning(_ line: String) {
        error("pos-hub: warning: \(line)")
    }

    /// What a person should know, and no failure.
    static func note(_ line: String) {
        error("pos-hub: note: \(line)")
    }

    private static func error(_ line: String) {
        target.write(line.printable + "\n", STDERR_FILENO)
    }
}

/// Where a command writes, and what it has written of its one document.
final class OutputTarget: Sendable {
    let write: @Sendable (_ text: String, _ descriptor: Int32) -> Void
    let isForPrograms = Atomic(false)
    let hasDocument = Atomic(false)

    init(write: @escaping @Sendable (_ text: String, _ descriptor: Int32) -> Void) {
        self.write = write
    }
}
