import CVirtualTime
import Foundation

/// A data folder as it lies on the disk at one moment. Each file keeps its identity, also where another one
/// has taken its place since: by it a till knows its own folder from a copy.
@MainActor
struct DiskImage {
    private let folder: String
    private let prefix: String
    /// Beside the folder, with a second name for each file.
    private let names: String
    private let files: [(name: String, bytes: Data)]

    /// - Parameters:
    ///   - prefix: the begin of the names of the files that it has.
    ///   - cut: the power cut whose rest of the files it has; nil: it has all that was written.
    init(of folder: String, only prefix: String = "", after cut: inout PowerCut?) throws {
        (self.folder, self.prefix) = (folder, prefix)
        let names = "\(folder).image-\(Trace.now)-\(prefix)"
        self.names = names
        files = try Self.names(in: folder, prefix).map { name in
            let second = URL(fileURLWithPath: names + "/" + name)
            try FileManager.default.createDirectory(
                at: second.deletingLastPathComponent(), withIntermediateDirectories: true)
            if link(folder + "/" + name, second.path) != 0 { throw WorldError("no second name for \(name)") }
            let bytes = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
            return (name, cut?.leaves(of: folder + "/" + name, bytes) ?? bytes)
        }
    }

    /// What a process that ended afterwards wrote, changed or removed is as before.
    func putBack() throws { try FailingDisk.whole { try rewrite() } }

    private func rewrite() throws {
        let kept = Set(files.map(\.name))
        for name in try Self.names(in: folder, prefix) where !kept.contains(name) {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        for (name, bytes) in files {
            let path = folder + "/" + name
            // Does nothing where both names are of one file.
            if rename(names + "/" + name, path) != 0 { throw WorldError("\(name) is not put back") }
            // Behind a cut this is what the disk has, and a kill alone loses nothing of what was written.
            defer { virtual_time_synced(path) }
            guard FileManager.default.contents(atPath: path) != bytes else { continue }
            guard let handle = FileHandle(forUpdatingAtPath: path) else {
                try bytes.write(to: URL(fileURLWithPath: path))
                continue
            }
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
        try FileManager.default.removeItem(atPath: names)
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
