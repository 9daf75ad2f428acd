import Foundation

/// A data folder as it lies on the disk at one moment. A file that is still there keeps its identity, by
/// which a till knows its own folder from a copy.
struct DiskImage {
    private let folder: String
    private let prefix: String
    private let files: [(name: String, bytes: Data)]

    /// - Parameter prefix: the begin of the names of the files that it has.
    init(of folder: String, only prefix: String = "") throws {
        (self.folder, self.prefix) = (folder, prefix)
        files = try Self.names(in: folder, prefix).map { name in
            (name, FileManager.default.contents(atPath: folder + "/" + name) ?? Data())
        }
    }

    /// What a process that ended afterwards wrote, changed or removed is as before.
    func putBack() throws {
        let kept = Set(files.map(\.name))
        for name in try Self.names(in: folder, prefix) where !kept.contains(name) {
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
    private static func names(in folder: String, _ prefix: String) throws -> [String] {
        var names: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
            if !isFolder.boolValue, name.hasPrefix(prefix), !name.hasSuffix("-shm"), !name.hasSuffix(".lock")
            {
                names.append(name)
            }
        }
        return names
    }
}
