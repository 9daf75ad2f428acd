internal import Glibc

/// The pages of a database file and of its write-ahead log, read without SQLite, so that damage in one page
/// does not hide another one. (sqlite.org/fileformat.html, sections 1.3, 1.6 and 4)
///
/// Every page is read in views. The first is what SQLite would show: the database with the committed frames
/// of its log. The others have what it would not show: frames after a damaged one, and pages that the log
/// replaces. Rows from those need a proof, a hash for example.
struct DamagedPages {
    /// One set of pages.
    struct View {
        /// The numbers of the pages that are looked through in this view, from 1.
        let numbers: [Int]
        fileprivate let pages: [Int: ArraySlice<UInt8>]
    }

    let pageBytes: Int
    private(set) var views: [View] = []

    /// - Parameters:
    ///   - database: the file; may be cut off or empty.
    ///   - log: the file in the same folder whose name ends in `-wal`; empty without one.
    init(database: [UInt8], log: [UInt8]) {
        let frames = LogFrames(log)
        pageBytes = Self.size(in: database) ?? frames?.pageBytes ?? Int(DatabaseOpening.pageBytes)
        let plain = Self.pages(of: database, size: pageBytes)
        guard let frames, frames.pageBytes == pageBytes else {
            views = [View(numbers: plain.keys.sorted(), pages: plain)]
            return
        }
        let committed = plain.merging(frames.committed) { $1 }
        let strays = frames.all.filter { committed[$0.key] != $0.value }
        let covered = plain.filter { frames.committed[$0.key] != nil && frames.committed[$0.key] != $0.value }
        views = [
            View(numbers: committed.keys.sorted(), pages: committed),
            View(numbers: strays.keys.sorted(), pages: committed.merging(strays) { $1 }),
            View(numbers: covered.keys.sorted(), pages: plain),
        ]
    }

    /// Whether a log has entries of the journal after a damaged frame that had a response.
    ///
    /// What a power cut leaves is no damage: of the last transaction, which had no response yet, and of
    /// those before it that were not synced, any frame may be missing. They have no entry, the last one has
    /// one.
    static func hasCommitsBehindDamage(of database: () -> [UInt8], log: [UInt8]) -> Bool {
        guard let frames = LogFrames(log), frames.commitsBehindDamage >= 2 else { return false }
        let database = database()
        func entries(upTo end: Int) -> Set<Int64> {
            Set(SalvagedJournal(database: database, log: Array(log[..<end])).entries.map(\.sequence))
        }
        let shown = entries(upTo: frames.committedEnd)
        return !entries(upTo: frames.lastBegin).isSubset(of: shown)
            || entries(upTo: log.count).subtracting(shown).count > 1
    }

    func page(_ number: Int, in view: View) -> ArraySlice<UInt8>? { view.pages[number] }

    /// The size of a page from the header; nil for a header that cannot be right.
    private static func size(in database: [UInt8]) -> Int? {
        guard DatabaseFileHeader(database) != nil else { return nil }
        let size = Int(database[16]) << 8 | Int(database[17])
        // 65,536 does not fit into two bytes and is stored as 1.
        let bytes = size == 1 ? 65_536 : size
        return isPageSize(bytes) ? bytes : nil
    }

    fileprivate static func isPageSize(_ bytes: Int) -> Bool {
        (512...65_536).contains(bytes) && bytes & (bytes - 1) == 0
    }

    private static func pages(of database: [UInt8], size: Int) -> [Int: ArraySlice<UInt8>] {
        var pages: [Int: ArraySlice<UInt8>] = [:]
        for start in stride(from: 0, to: database.count - size + 1, by: size) {
            pages[start / size + 1] = database[start..<start + size]
        }
        return pages
    }

    /// Reads a file as far as the disk can: unreadable blocks are zeros.
    ///
    /// - Returns: nothing for a file that is not there.
    static func contents(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        // A disk fails in sectors of 512 or 4,096 bytes; one block more or less is lost with one of them.
        let block = 4096
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            for start in stride(from: 0, to: buffer.count, by: block) {
                _ = pread(descriptor, base + start, min(block, buffer.count - start), off_t(start))
            }
        }
        return bytes
    }
}

/// The frames of a write-ahead log. (section 4.1 and 4.2 of the file format)
private struct LogFrames {
    let pageBytes: Int
    /// The newest version of each page up to the last commit that can be verified.
    private(set) var committed: [Int: ArraySlice<UInt8>] = [:]
    /// The newest version of each page, verified or not.
    private(set) var all: [Int: ArraySlice<UInt8>] = [:]

    /// Ends of transactions, in this round of the log, after its first frame that cannot be verified.
    private(set) var commitsBehindDamage = 0
    /// Where the last commit ends that can be verified, and where the last transaction of the log begins.
    private(set) var committedEnd = Self.headerBytes
    private(set) var lastBegin = Self.headerBytes

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// Nil for a file that is no log.
    init?(_ log: [UInt8]) {
        guard log.count >= Self.headerBytes else { return nil }
        let magic = Self.word(log, 0)
        let size = Int(Self.word(log, 8))
        guard magic == 0x377F_0682 || magic == 0x377F_0683, DamagedPages.isPageSize(size) else { return nil }
        pageBytes = size
        let isBigEndian = magic == 0x377F_0683
        var sum = Self.checksum(log[0..<24], after: (0, 0), isBigEndian: isBigEndian)
        var isComplete = sum == (Self.word(log, 24), Self.word(log, 28))
        var uncommitted: [Int: ArraySlice<UInt8>] = [:]
        var begin = Self.headerBytes
        let step = Self.frameHeaderBytes + size
        for start in stride(from: Self.headerBytes, to: log.count - step + 1, by: step) {
            // Frames of an earlier round of the log carry other salts.
            guard log[start + 8..<start + 16] == log[16..<24] else {
                isComplete = false
                continue
            }
            let number = Int(Self.word(log, start))
            let page = log[start + Self.frameHeaderBytes..<start + step]
            if isComplete {
                sum = Self.checksum(log[start..<start + 8], after: sum, isBigEndian: isBigEndian)
                sum = Self.checksum(page, after: sum, isBigEndian: isBigEndian)
                isComplete = sum == (Self.word(log, start + 16), Self.word(log, start + 20))
            }
            all[number] = page
            if Self.word(log, start + 4) != 0 { (lastBegin, begin) = (begin, start + step) }
            guard isComplete else {
                if Self.word(log, start + 4) != 0 { commitsBehindDamage += 1 }
                continue
            }
            uncommitted[number] = page
            if Self.word(log, start + 4) != 0 {
                committed.merge(uncommitted) { $1 }
                uncommitted = [:]
                committedEnd = start + step
            }
        }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func checksum(
        _ bytes: ArraySlice<UInt8>, after sum: (UInt32, UInt32), isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        bytes.withUnsafeBytes { buffer in
            var (first, second) = sum
            for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
                var left = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                var right = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                if isBigEndian { (left, right) = (left.bigEndian, right.bigEndian) }
                first = first &+ left &+ second
                second = second &+ right &+ first
            }
            return (first, second)
        }
    }
}
