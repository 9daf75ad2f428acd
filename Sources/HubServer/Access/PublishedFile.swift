internal import Foundation

/// A small file that one process of the hub writes for the others: whole or not at all, for its owner alone.
enum PublishedFile {
    static func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try Data(text.utf8).write(to: url, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
