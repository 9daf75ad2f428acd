internal import Base
internal import Glibc
internal import HubProtocol
internal import Logging
internal import Neighbours
internal import TerminalStore

/// What this till keeps of others on its disk: a file for each piece, synced before the response. It reads
/// nothing of what is sealed.
actor PieceKeeper {
    /// The response to a maker about a piece that it brought.
    enum Answer: String, Hashable {
        case kept, full
        /// It is no piece of that till, or its disk failed.
        case refused
    }

    private let folder: String
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private var pieces: KeptPieces
    private var arrivals: Int64

    /// Looks at what is in the folder; one that is missing is made with the first piece.
    ///
    /// - Parameters:
    ///   - capacity: in bytes.
    ///   - now: the wall clock, in milliseconds since 1970.
    init(folder: String, capacity: Int64, logger: Logger, now: @escaping @Sendable () -> Int64) {
        (self.folder, self.logger, self.now) = (folder, logger, now)
        let found = Self.found(in: folder)
        pieces = KeptPieces(found, capacity: capacity)
        arrivals = Int64(found.count)
    }

    /// What is kept now, in the order in which it is handed in.
    var all: [KeptPiece] {
        expire()
        return pieces.all
    }

    /// Takes a piece that `maker` brought over a connection with its own key.
    ///
    /// - Parameters:
    ///   - publicKey: its device key.
    ///   - makers: how many other tills the store has.
    func take(_ bytes: [UInt8], of maker: String, key publicKey: String, makers: Int) -> Answer {
        guard let piece = try? SealedPiece(bytes), piece.header.terminalId == maker,
            piece.isSigned(by: publicKey)
        else { return .refused }
        expire()
        let id = KeptPiece.ID(
            terminalId: maker, epoch: piece.header.epoch, first: piece.header.first, last: piece.header.last)
        switch pieces.offer(id, size: Int64(bytes.count), makers: makers) {
        case .known: return .kept
        case .full: return .full
        case .keep(let deleted):
            guard hasFreeDisk else { return .full }
            do throws(FileError) {
                mkdir(folder, 0o700)
                try DurableFile.replace(path(of: id), with: bytes, temporaryName: "piece.new")
            } catch {
                logger.error("a piece of till \(maker) was not kept: \(error)")
                return .refused
            }
            // What gives way goes last: a disk that fails loses nothing that was kept.
            delete(deleted)
            arrivals += 1
            pieces.add(KeptPiece(id: id, size: Int64(bytes.count), arrival: arrivals, keptAt: now()))
            return .kept
        }
    }

    /// The bytes of a piece; nil where they cannot be read.
    func bytes(of id: KeptPiece.ID) -> [UInt8]? { (try? HomeFile.read(path(of: id))) ?? nil }

    /// The hub has all entries of `maker`'s epoch up to a sequence.
    func cover(_ maker: String, epoch: Int64, through: Int64) {
        delete(pieces.covered(maker: maker, epoch: epoch, through: through))
    }

    /// The pieces are not needed any more.
    func delete(_ ids: [KeptPiece.ID]) {
        for id in ids { unlink(path(of: id)) }
        pieces.remove(ids)
    }

    private func expire() { delete(pieces.expired(at: now())) }

    /// What is kept of a till; nil: nothing.
    func kept(of maker: String) -> NeighbourKept? { pieces.kept(of: maker) }

    /// Makers of pieces that have waited for the hub for more than a week.
    var overdue: Set<String> { pieces.overdue(at: now()) }

    /// What is left for this till itself, whatever others bring: its own journal, and room to repair it.
    private static let reserve: Int64 = 512 << 20

    private var hasFreeDisk: Bool {
        var status = statvfs()
        let parent = DurableFile.folder(of: folder)
        guard statvfs(parent, &status) == 0 else { return true }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize)) > Self.reserve
    }

    private static let suffix = ".piece"

    private func path(of id: KeptPiece.ID) -> String {
        "\(folder)/\(id.terminalId)_\(id.epoch)_\(id.first)_\(id.last)\(Self.suffix)"
    }

    private static func found(in folder: String) -> [KeptPiece] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var pieces: [KeptPiece] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard name.hasSuffix(suffix), stat("\(folder)/\(name)", &status) == 0 else { continue }
            let parts = name.dropLast(suffix.count).split(separator: "_")
            let numbers = parts.dropFirst().compactMap { Int64($0) }
            guard parts.count == 4, numbers.count == 3 else { continue }
            pieces.append(
                KeptPiece(
                    id: .init(
                        terminalId: String(parts[0]), epoch: numbers[0], first: numbers[1], last: numbers[2]),
                    size: Int64(status.st_size), arrival: 0,
                    keptAt: Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000))
        }
        return pieces.sorted { $0.keptAt < $1.keptAt }.enumerated().map { index, piece in
            KeptPiece(id: piece.id, size: piece.size, arrival: Int64(index), keptAt: piece.keptAt)
        }
    }
}
