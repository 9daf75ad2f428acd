import Foundation

/// A data folder as it lies on the disk at one moment. A file that is still there keeps its identity, by
/// which a till knows its own folder from a copy.
struct DiskImage {
    private let folder: String
    private let files: [(name: String, bytes: Data)]

    init(of folder: String) throws {
        self.folder = folder
        files = try Self.names(in: folder).map { name in
            (name, FileManager.default.contents(atPath: folder + "/" + name) ?? Data())
        }
    }

    /// What a process that ended afterwards wrote, changed or removed is as before.
    func putBack() throws {
        let kept = Set(files.map(\.name))
        for name in try Self.names(in: folder) where !kept.contains(name) {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        for (name, bytes) in files {
            let path = folder + "/" + name
            guard FileManager.default.contents(atPath: path) != bytes else { continue }
            guard let handle = FileHandle(forUpdatingAtPath: path) else {
                try bytes.write(to: URL(fileURLWithPath: path))
                continue
            }
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
    }

    /// Without the index of the log, which belongs to processes that have it open.
    private static func names(in folder: String) throws -> [String] {
        var names: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
            if !isFolder.boolValue, !name.hasSuffix("-shm"), !name.hasSuffix(".lock") { names.append(name) }
        }
        return names
    }
}
