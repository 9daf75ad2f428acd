internal import Foundation
internal import HubProtocol
internal import Synchronization

/// What the commands write: results to standard output, one line for each failure and warning to standard
/// error.
enum Output {
    /// The command's one JSON document.
    static func document(_ value: JSONValue) {
        hasDocument.store(true, ordering: .relaxed)
        print(value.canonicalText.printableJSON)
    }

    /// The command line has `--json`: a failure is a document too, wherever it comes from.
    static func expectDocument() {
        isForPrograms.store(true, ordering: .relaxed)
    }

    /// Why the command failed: a line for people, and for programs a document where the command's own was not
    /// printed, since there is one at most.
    static func failure(_ failure: CommandFailure) {
        if isForPrograms.load(ordering: .relaxed), !hasDocument.load(ordering: .relaxed) {
            document(failure.document)
        }
        for mistake in failure.mistakes { note("pos-hub: \(mistake)") }
        note("pos-hub: \(failure.line)")
    }

    static func warning(_ line: String) {
        note("pos-hub: warning: \(line)")
    }

    private static func note(_ line: String) {
        FileHandle.standardError.write(Data((line.printable + "\n").utf8))
    }

    private static let isForPrograms = Atomic(false)
    private static let hasDocument = Atomic(false)
}
