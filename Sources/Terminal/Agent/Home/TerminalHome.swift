internal import Foundation
internal import Glibc
internal import Logging
internal import Logs

/// The terminal's data folder and the names of what lies in it.
package struct TerminalHome: Sendable, Equatable {
    /// Absolute path of the folder.
    package let path: String

    /// The home in the folder `path`; a relative one counts from the working folder. Reads nothing.
    package init(path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// Path of the configuration, where nobody names another one.
    package var configuration: String { path + "/terminal.json" }
    var socket: String { path + "/agent.sock" }
    var lock: String { path + "/agent.lock" }
    var deviceKey: String { path + "/device.key" }
    /// The key of connections to other tills of the store; made when it is needed first.
    var neighbourKey: String { path + "/neighbour.key" }
    /// Pieces of other tills' journals; made when the first one comes.
    var keptPieces: String { path + "/kept" }
    /// The notes that the store's tills write for each other.
    var notes: String { path + "/notes" }
    /// What is in the parked carts of the store's other tills.
    var cartsElsewhere: String { path + "/carts" }
    /// The signed ends of other tills' journals that this one has seen.
    var witnessedHeads: String { path + "/witnessed.json" }
    var database: String { path + "/terminal.sqlite" }

    /// Whether `pos init` was finished here.
    var isInitialised: Bool {
        FileManager.default.fileExists(atPath: configuration)
            && FileManager.default.fileExists(atPath: deviceKey)
    }

    /// Makes the folder, readable by its owner alone, where it is missing.
    func create() throws(TerminalError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw TerminalError(.unusable, code: "home_unusable") { $0.homeUnusable(path) }
        }
        try makePrivate()
        try requireWritable()
    }

    /// Takes the folder, and the files in it that are this user's, from other users, and says so.
    ///
    /// Token, device key, PINs and members lie here. A folder that is there already has the mode of whoever
    /// made it, and versions before this one made the database readable for everybody.
    ///
    /// - Throws: kind `unusable`, code `home_not_private`, for a folder of another user that this one cannot
    ///   close; as `ssh` refuses such a key.
    func makePrivate(logging stream: LogStream = .ofSetup) throws(TerminalError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let isOpen = status.st_mode & 0o077 != 0
        let isStrangers = status.st_uid != geteuid() && geteuid() != 0
        guard !isStrangers, !isOpen || chmod(path, 0o700) == 0 else {
            throw TerminalError(.unusable, code: "home_not_private") { $0.homeNotPrivate(path) }
        }
        let log = stream.logger(label: "pos")
        if isOpen {
            let mode = String(status.st_mode & 0o777, radix: 8)
            log.warning("others could enter \(path) (mode \(mode)); it is mode 700 now")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let opened = names.filter { name in
            var status = stat()
            let file = path + "/" + name
            // A link's target is somebody's configuration elsewhere.
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mode & 0o077 != 0, status.st_uid == geteuid()
            else { return false }
            return chmod(file, 0o600) == 0
        }
        guard !opened.isEmpty else { return }
        log.warning("others could read \(opened.sorted().joined(separator: ", ")) in \(path); mode 600 now")
    }

    /// Whether other users may enter the folder; false where it cannot be looked at.
    var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    /// Refuses a folder of another user that this one would write into, or may not look into.
    ///
    /// Files that root makes among another user's are ones that the agent of that user cannot open later.
    private func requireOwn(toWrite writes: Bool) throws(TerminalError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_uid != geteuid() else { return }
        guard geteuid() == 0 ? writes : access(path, R_OK | X_OK) != 0 else { return }
        let owner = Self.owner(of: path) ?? "\(status.st_uid)"
        throw TerminalError(.unusable, code: "home_of_other_user") { $0.homeOfOther(owner, path) }
    }

    /// Refuses a folder that is not there or cannot be written.
    func requireWritable() throws(TerminalError) {
        try requireOwn(toWrite: true)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw TerminalError(.unusable, code: "home_missing") { $0.homeMissing(path) }
        }
        let probe = path + "/.writable-\(ProcessInfo.processInfo.processIdentifier)"
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            try HomeFile.refuseExhaustion(errno, probe)
            throw notWritable(errno)
        }
        close(descriptor)
        unlink(probe)
    }

    /// Why nothing can be written here, and what helps.
    func notWritable(_ code: Int32) -> TerminalError {
        let cause: HomeFault =
            switch code {
            case EROFS: .readOnly
            case EACCES, EPERM: .ofUser(Self.owner(of: path))
            case ENOSPC: .full
            default: .other
            }
        return TerminalError(.unusable, code: "home_not_writable") {
            $0.homeNotWritable(path, String(cString: strerror(code)), cause)
        }
    }

    /// Nil where it cannot be looked at.
    private static func owner(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? String(status.st_uid)
    }

    /// Refuses a home where `pos init` has not been finished, or that is another user's.
    func requireInitialised() throws(TerminalError) {
        try requireOwn(toWrite: false)
        guard !isInitialised else { return }
        guard !FileManager.default.fileExists(atPath: database) else {
            let missing = FileManager.default.fileExists(atPath: deviceKey) ? configuration : deviceKey
            throw TerminalError(.unusable, code: "home_incomplete") {
                $0.homeIncomplete(path, missing: missing)
            }
        }
        throw TerminalError(.unusable, code: "home_missing") { $0.homeMissing(path) }
    }
}
