/// A small file that one process of the hub writes for the others: whole or not at all, for its owner alone.
enum PublishedFile {
    static func write(_ text: String, to path: String) throws {
        try PrivateFile.replace(path, with: Array(text.utf8))
    }
}
