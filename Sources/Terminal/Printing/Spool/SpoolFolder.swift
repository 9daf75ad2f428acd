internal import Base
internal import Glibc
internal import Synchronization

/// The jobs on the disk: one file each, written to a temporary name, synced and renamed, so that a file is
/// complete or absent after any kill or power cut. Safe from any thread.
package final class SpoolFolder: Sendable {
    let path: String
    /// One writer at a time, since a job's temporary name is fixed.
    private let writing = Mutex(())

    /// `path` is made when the first job is written.
    package init(_ path: String) {
        self.path = path
    }

    /// All complete jobs, the oldest first. What cannot be read as a job is renamed to `*.damaged` and
    /// counted.
    ///
    /// - Parameter settingAside: false: nothing is renamed.
    package func load(settingAside: Bool = true) -> (jobs: [PrintJob], damaged: Int) {
        var jobs: [PrintJob] = []
        var damaged = 0
        for name in names() {
            if name.hasSuffix(".damaged") { damaged += 1 }
            guard name.hasSuffix(".job") else { continue }
            if let job = read(name).flatMap(PrintJob.init(fileContent:)), name == job.id + ".job" {
                jobs.append(job)
            } else {
                if settingAside { _ = rename(path + "/" + name, path + "/" + name + ".damaged") }
                damaged += 1
            }
        }
        return (jobs.sorted { $0.id < $1.id }, damaged)
    }

    /// Returns once the job is durable.
    package func save(_ job: PrintJob) throws(SpoolError) {
        try writing.withLock { _ throws(SpoolError) in
            try makeFolder()
            try write(job.fileContent, to: path + "/" + job.id + ".tmp", then: path + "/" + job.id + ".job")
        }
    }

    /// Returns once the job is noted as printed for good; one without a file is no error.
    ///
    /// The note is the job's file under another name, so that a start after a kill finds whether a sale has
    /// had its paper.
    func finish(_ id: String) throws(SpoolError) {
        let file = path + "/" + id
        guard rename(file + ".job", file + ".done") == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw SpoolError("rename", file + ".job") }
            return
        }
        try syncFolder()
    }

    /// Returns once the job's file is gone for good; one that is absent is no error.
    func remove(_ id: String) throws(SpoolError) {
        let file = path + "/" + id + ".job"
        guard unlink(file) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw SpoolError("unlink", file) }
            return
        }
        try syncFolder()
    }

    /// The jobs that were printed. Removes the notes that are older than any look for missing papers reaches,
    /// but for the newest ``notesKept``.
    ///
    /// - Parameter now: Unix milliseconds.
    func finished(now: Int64) -> Set<String> {
        let notes = names().filter { $0.hasSuffix(".done") }
        let old = notes.dropLast(Self.notesKept).filter { !isRecent($0, now) }
        for name in old { unlink(path + "/" + name) }
        return Set(Set(notes).subtracting(old).map { String($0.dropLast(5)) })
    }

    /// Whether the file was written within ``PrintSpool/longestWait``: a job's file is, at its last, when its
    /// printing begins, which is after its sale.
    private func isRecent(_ name: String, _ now: Int64) -> Bool {
        var status = stat()
        guard stat(path + "/" + name, &status) == 0 else { return false }
        let written = Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        return written >= now - PrintSpool.longestWait.wholeMilliseconds
    }

    /// From when on, in Unix milliseconds, every sale has a job: since the first start with a printer that no
    /// start without one followed. `now` becomes that moment where none is noted.
    func openedAt(now: Int64) throws(SpoolError) -> Int64 {
        if let text = read("since").map({ String(decoding: $0, as: UTF8.self) }), let since = Int64(text) {
            return since
        }
        try makeFolder()
        try write(Array("\(now)".utf8), to: path + "/since.tmp", then: path + "/since")
        return now
    }

    /// A start without a printer: sales have no jobs from now on.
    package func noteNoPrinter() {
        unlink(path + "/since")
    }

    private func makeFolder() throws(SpoolError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw SpoolError("mkdir", path) }
    }

    private func write(_ bytes: [UInt8], to temporary: String, then name: String) throws(SpoolError) {
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SpoolError("open", temporary) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SpoolError("write", temporary) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw SpoolError("fsync", temporary) }
        guard rename(temporary, name) == 0 else { throw SpoolError("rename", name) }
        try syncFolder()
    }

    private func syncFolder() throws(SpoolError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SpoolError("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SpoolError("fsync", path) }
    }

    private func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { name in
                    String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.sorted()
    }

    /// Nil for what is no plain file of a job's size.
    private func read(_ name: String) -> [UInt8]? {
        let descriptor = open(path + "/" + name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.largestJob + 1)
        var used = 0
        while used < bytes.count {
            let count = bytes[used...].withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return Array(bytes[..<used]) }
            used += count
        }
        return nil
    }

    /// A sale of 500 lines is 150 KB. Halved, still ten times that; doubled, a foreign file costs more
    /// memory.
    private static let largestJob = 2 << 20
    /// More than a person sells in ``PrintSpool/longestWait``, kept whatever the clock says: it may have been
    /// put right. Halved, a busy till whose clock leapt could print one twice after a kill; doubled, the
    /// folder has more names.
    private static let notesKept = 500
}

/// The spool could not be written: the job is printed from memory, and is lost with the agent.
package struct SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
    let call: String
    let path: String
    let code: Int32

    init(_ call: String, _ path: String) {
        (self.call, self.path, code) = (call, path, errno)
    }

    /// For the log: the call, the path and the number of the error.
    package var description: String { "\(call) of \(path) failed with error \(code)" }
}
