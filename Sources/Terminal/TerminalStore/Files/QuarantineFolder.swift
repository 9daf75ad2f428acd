internal import Glibc

/// `<home>/quarantine`: unreadable files are kept there for a person, and never removed.
struct QuarantineFolder: Sendable {
    let path: String

    init(home: String) {
        path = home + "/quarantine"
    }

    /// Moves the file at `source` in, under its own name and the first free number.
    ///
    /// - Returns: where it is now.
    @discardableResult
    func moveIn(_ source: String) throws(FileError) -> String {
        let target = try freeName(for: source)
        guard rename(source, target) == 0 else { throw FileError(path: source, call: "rename", code: errno) }
        try DurableFile.syncFolder(path)
        try DurableFile.syncFolder(DurableFile.folder(of: source))
        return target
    }

    /// Moves files that belong together in, all under one number.
    ///
    /// - Returns: where they are now, in the order of `sources`.
    func moveInTogether(_ sources: [String]) throws(FileError) -> [String] {
        let numbers = try sources.map { source throws(FileError) in
            try freeName(for: source).split(separator: ".").last.flatMap { Int($0) } ?? 1
        }
        var number = numbers.max() ?? 1
        while sources.contains(where: { DurableFile.exists(name(of: $0, number)) }) { number += 1 }
        var targets: [String] = []
        for source in sources {
            let target = name(of: source, number)
            guard rename(source, target) == 0 else {
                throw FileError(path: source, call: "rename", code: errno)
            }
            targets.append(target)
        }
        try DurableFile.syncFolder(path)
        for source in sources.prefix(1) { try DurableFile.syncFolder(DurableFile.folder(of: source)) }
        return targets
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
        var number = 1
        while DurableFile.exists(name(of: source, number)) { number += 1 }
        return name(of: source, number)
    }

    private func name(of source: String, _ number: Int) -> String {
        "\(path)/\(source.split(separator: "/").last.map(String.init) ?? "file").\(number)"
    }
}
