internal import Glibc

/// `<home>/quarantine`: what could not be read is kept there for a person, never removed.
struct QuarantineFolder: Sendable {
    let path: String

    init(home: String) {
        path = home + "/quarantine"
    }

    /// Moves the file at `source` in, under its own name and the first free number.
    ///
    /// - Returns: where it lies now.
    @discardableResult
    func moveIn(_ source: String) throws(FileError) -> String {
        let target = try freeName(for: source)
        guard rename(source, target) == 0 else { throw FileError(path: source, call: "rename", code: errno) }
        try DurableFile.syncFolder(path)
        try DurableFile.syncFolder(DurableFile.folder(of: source))
        return target
    }

    /// Keeps a second name of the file at `source`, which stays where it is.
    @discardableResult
    func keepCopy(of source: String) throws(FileError) -> String {
        let target = try freeName(for: source)
        guard link(source, target) == 0 else { throw FileError(path: source, call: "link", code: errno) }
        try DurableFile.syncFolder(path)
        return target
    }

    private func freeName(for source: String) throws(FileError) -> String {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw FileError(path: path, call: "mkdir", code: errno)
        }
        let name = source.split(separator: "/").last.map(String.init) ?? "file"
        var number = 1
        while access("\(path)/\(name).\(number)", F_OK) == 0 { number += 1 }
        return "\(path)/\(name).\(number)"
    }
}
