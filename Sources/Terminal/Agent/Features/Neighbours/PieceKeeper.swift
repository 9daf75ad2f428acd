internal import Base
internal import HubProtocol
internal import Logging
internal import MachineRuntime
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

    private let folder: PieceFolder
    private let logger: Logger
    private let time: any SystemTime
    private var pieces: KeptPieces
    private var arrivals: Int64
    /// For how long this keeper ran since its first piece, in units of ``NeighbourLimits/keepingStep``.
    private var steps: Int64
    /// Up to when that is counted.
    private var counted: Instant

    /// Looks at what is in the folder; one that is missing is made with the first piece.
    ///
    /// - Parameter capacity: in bytes.
    init(folder: PieceFolder, capacity: Int64, logger: Logger, time: any SystemTime) {
        (self.folder, self.logger, self.time) = (folder, logger, time)
        let found = folder.pieces
        pieces = KeptPieces(found, capacity: capacity)
        arrivals = Int64(found.count)
        counted = time.now()
        // Of a file that was lost the pieces themselves say the least that has passed.
        steps = max(folder.steps, found.map(\.keptStep).max() ?? 0)
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
            piece.isSigned(by: publicKey), let id = KeptPiece.ID(piece.header)
        else { return .refused }
        expire()
        let kept = KeptPiece(
            id: id, size: KeptPiece.onDisk(Int64(bytes.count)), arrival: arrivals + 1,
            keptAt: time.wallMilliseconds(), keptStep: steps)
        switch pieces.offer(kept.id, size: kept.size, makers: makers) {
        case .known: return .kept
        case .full: return .full
        case .keep(let deleted):
            guard folder.hasRoom else { return .full }
            do throws(FileError) {
                try folder.write(kept, bytes)
            } catch {
                logger.error("a piece of till \(maker) was not kept: \(error)")
                return .refused
            }
            // What gives way goes last: a disk that fails loses nothing that was kept.
            delete(deleted)
            arrivals += 1
            pieces.add(kept)
            return .kept
        }
    }

    /// The bytes of a piece; nil where they cannot be read. One whose file is gone is not kept any more.
    func bytes(of id: KeptPiece.ID) -> [UInt8]? {
        guard let piece = pieces.piece(id) else { return nil }
        do throws(TerminalError) {
            if let bytes = try folder.read(piece) { return bytes }
            logger.error("a piece of till \(id.terminalId) is not on the disk any more")
            pieces.remove([id])
            return nil
        } catch {
            return nil
        }
    }

    /// Takes what a till says of its entries that are kept here.
    ///
    /// - Returns: whether something of it has to be handed in.
    func take(_ coverages: [RunCoverage], of maker: String) -> Bool {
        delete(pieces.take(coverages, of: maker))
        return coverages.contains { $0.through == nil }
    }

    /// Whether the maker's journal has other entries than the piece (``KeptPieces/isForeign(_:)``).
    func isForeign(_ id: KeptPiece.ID) -> Bool { pieces.isForeign(id) }

    /// The pieces are not needed any more.
    func delete(_ ids: [KeptPiece.ID]) {
        for piece in ids.compactMap(pieces.piece) { folder.delete(piece) }
        pieces.remove(ids)
    }

    /// Deletes what is too old by the running time, which no wrong clock moves.
    private func expire() {
        let passed = (time.now() - counted).wholeMilliseconds / NeighbourLimits.keepingStep.wholeMilliseconds
        if passed > 0 {
            counted = counted + NeighbourLimits.keepingStep * passed
            steps += passed
            if !pieces.isEmpty { folder.write(steps: steps) }
        }
        delete(pieces.expired(at: steps))
    }

    /// What is kept of a till; nil: nothing.
    func kept(of maker: String) -> NeighbourKept? {
        expire()
        return pieces.kept(of: maker)
    }

    /// Makers of pieces that have waited for the hub for more than a week.
    var overdue: Set<String> { pieces.overdue(at: time.wallMilliseconds()) }
}
