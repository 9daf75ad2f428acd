internal import Base
package import HubProtocol

/// What a keeper knows of a piece that it keeps; the bytes are in the store.
package struct KeptPiece: Hashable, Sendable {
    /// One piece: of a maker's epoch, the entries from `first` to `last`. Their hashes belong to it, since a
    /// till that runs from an older disk gives the same numbers to other entries.
    package struct ID: Hashable, Comparable, Sendable {
        package let terminalId: String
        package let epoch: Int64
        package let first: Int64
        package let last: Int64
        package let link: EntryLink

        package init(terminalId: String, epoch: Int64, first: Int64, last: Int64, link: EntryLink) {
            self.terminalId = terminalId
            self.epoch = epoch
            self.first = first
            self.last = last
            self.link = link
        }

        /// Nil for a header that does not say which entries it names.
        package init?(_ header: PieceHeader) {
            guard let link = header.link else { return nil }
            self.init(
                terminalId: header.terminalId, epoch: header.epoch, first: header.first, last: header.last,
                link: link)
        }

        /// By maker, epoch and first entry.
        package static func < (left: ID, right: ID) -> Bool {
            guard left.terminalId == right.terminalId, left.epoch == right.epoch else {
                return (left.terminalId, left.epoch) < (right.terminalId, right.epoch)
            }
            return (left.first, left.last, left.link.hash) < (right.first, right.last, right.link.hash)
        }
    }

    package let id: ID
    /// Bytes on disk, as ``onDisk(_:)``.
    package let size: Int64
    /// Counts the pieces that this keeper accepted: a higher one came later.
    package let arrival: Int64
    /// When it came, by the keeper's wall clock in milliseconds since 1970: alarms follow it.
    package let keptAt: Int64
    /// When it came, by the keeper's running time in units of ``NeighbourLimits/keepingStep``: its end
    /// follows this alone.
    package let keptStep: Int64

    /// What a file of so many bytes takes: whole blocks of 4,096, as most file systems have them. So a maker
    /// of tiny pieces has no more files than of large ones in the same room.
    package static func onDisk(_ bytes: Int64) -> Int64 {
        let block: Int64 = 4_096
        return max(1, (bytes + block - 1) / block) * block
    }

    /// Makes a piece without a check.
    package init(id: ID, size: Int64, arrival: Int64, keptAt: Int64, keptStep: Int64) {
        self.id = id
        self.size = size
        self.arrival = arrival
        self.keptAt = keptAt
        self.keptStep = keptStep
    }
}

/// Which pieces of other tills a keeper keeps, within its bytes.
///
/// Each maker is sure of its equal part among the other tills of the store. What a maker has above its part
/// is room that nobody else needs yet: it gives way, newest first, since the oldest entries have waited
/// longest for the hub. So a till that fills the disk of its keepers takes nothing from another.
package struct KeptPieces: Hashable, Sendable {
    /// What becomes of a piece that a neighbour offers.
    package enum Offer: Hashable, Sendable {
        /// There is room when these are deleted. Of each maker its part stays, less one piece at most.
        case keep(deleting: [KeptPiece.ID])
        /// The same entries are here; the copy that is here stays.
        case known
        case full
    }

    /// In bytes, of all makers.
    package let capacity: Int64
    private var pieces: [KeptPiece.ID: KeptPiece] = [:]
    /// Those that their maker's journal does not have, as it says itself.
    private var foreign: Set<KeptPiece.ID> = []

    /// - Parameter capacity: in bytes, `neighbours.keepMegabytes`.
    package init(_ kept: [KeptPiece], capacity: Int64) {
        self.capacity = capacity
        for piece in kept { pieces[piece.id] = piece }
    }

    /// In order of makers, epochs and entries: in this order they are handed in.
    package var all: [KeptPiece] { pieces.values.sorted { $0.id < $1.id } }

    package var isEmpty: Bool { pieces.isEmpty }

    /// Bytes of one maker.
    package func bytes(of maker: String) -> Int64 {
        pieces.values.reduce(0) { $1.id.terminalId == maker ? $0 + $1.size : $0 }
    }

    /// Whether a piece finds room.
    ///
    /// - Parameters:
    ///   - makers: how many other tills the store has, each with an equal part of ``capacity``; tills that
    ///     the store has no more count while their pieces are here.
    package func offer(_ id: KeptPiece.ID, size: Int64, makers: Int) -> Offer {
        if pieces.values.contains(where: { $0.id.covers(id) }) { return .known }
        var excess = pieces.values.reduce(size) { $0 + $1.size } - capacity
        guard excess > 0 else { return .keep(deleting: []) }
        let known = Set(pieces.keys.map(\.terminalId)).union([id.terminalId]).count
        let part = capacity / Int64(max(makers, known))
        // Above its own part a maker takes no room from others.
        guard bytes(of: id.terminalId) + size <= part else { return .full }
        var left = Dictionary(grouping: pieces.values) { $0.id.terminalId }.mapValues { kept in
            kept.reduce(0) { $0 + $1.size }
        }
        var deleted: [KeptPiece.ID] = []
        for piece in pieces.values.sorted(by: { $0.arrival > $1.arrival }) where excess > 0 {
            guard let bytes = left[piece.id.terminalId], bytes > part else { continue }
            left[piece.id.terminalId] = bytes - piece.size
            excess -= piece.size
            deleted.append(piece.id)
        }
        return excess <= 0 ? .keep(deleting: deleted) : .full
    }

    /// What is known of a piece; nil: it is not kept.
    package func piece(_ id: KeptPiece.ID) -> KeptPiece? { pieces[id] }

    /// What is kept of a till, as its keeper says it; nil: nothing.
    package func kept(of maker: String) -> NeighbourKept? {
        let runs = runs(of: maker)
        guard !runs.isEmpty else { return nil }
        return NeighbourKept(
            entries: runs.joined().reduce(0) { $0 + $1.last - $1.first + 1 },
            runs: runs.compactMap { run in
                guard let first = run.first, let last = run.last else { return nil }
                let end = JournalMark(epoch: last.epoch, sequence: last.last, hash: last.link.hash)
                return KeptRun(first: first.first, end: end)
            })
    }

    /// The pieces of a till that follow each other in one chain, the first epochs and sequences first.
    private func runs(of maker: String) -> [[KeptPiece.ID]] {
        var runs: [[KeptPiece.ID]] = []
        var ends: [JournalEnd: Int] = [:]
        for id in pieces.keys.filter({ $0.terminalId == maker }).sorted() {
            let before = JournalEnd(epoch: id.epoch, hash: id.link.previousHash)
            let run = ends.removeValue(forKey: before) ?? runs.count
            if run == runs.count { runs.append([]) }
            runs[run].append(id)
            ends[JournalEnd(epoch: id.epoch, hash: id.link.hash)] = run
        }
        return runs
    }

    private struct JournalEnd: Hashable {
        let epoch: Int64
        let hash: String
    }

    /// Takes what a till says of its entries that are kept here.
    ///
    /// - Returns: the pieces that are not needed any more: its journal has their last entries, and the hub
    ///   has results for them and all before.
    package mutating func take(_ coverages: [RunCoverage], of maker: String) -> [KeptPiece.ID] {
        guard !coverages.isEmpty else { return [] }
        let runs = runs(of: maker)
        var covered: [KeptPiece.ID] = []
        for coverage in coverages {
            for run in runs {
                guard let end = run.firstIndex(where: { $0.link.hash == coverage.hash }) else { continue }
                let named = run[...end]
                guard let through = coverage.through else {
                    foreign.formUnion(named)
                    continue
                }
                foreign.subtract(named)
                covered += named.filter { $0.last <= through }
            }
        }
        return covered
    }

    /// Whether the maker of a piece says that its journal has other entries, so that nobody else hands in
    /// what is here.
    package func isForeign(_ id: KeptPiece.ID) -> Bool { foreign.contains(id) }

    /// The pieces that were kept longer than ``NeighbourLimits/piecesKept``.
    ///
    /// - Parameter step: the keeper's running time (``KeptPiece/keptStep``).
    package func expired(at step: Int64) -> [KeptPiece.ID] {
        let most =
            NeighbourLimits.piecesKept.wholeMilliseconds / NeighbourLimits.keepingStep.wholeMilliseconds
        return pieces.values.filter { step - $0.keptStep > most }.map(\.id).sorted()
    }

    /// Makers of pieces that have waited for the hub longer than ``NeighbourLimits/pieceAlarm``.
    ///
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    package func overdue(at now: Int64) -> Set<String> {
        let age = NeighbourLimits.pieceAlarm.wholeMilliseconds
        return Set(pieces.values.filter { now - $0.keptAt > age }.map(\.id.terminalId))
    }

    /// The piece is durable.
    package mutating func add(_ piece: KeptPiece) { pieces[piece.id] = piece }

    /// The pieces were deleted.
    package mutating func remove(_ ids: some Sequence<KeptPiece.ID>) {
        for id in ids {
            pieces[id] = nil
            foreign.remove(id)
        }
    }
}

extension KeptPiece.ID {
    /// Whether all entries of `other` are in this piece: both end with the same entry.
    func covers(_ other: KeptPiece.ID) -> Bool {
        terminalId == other.terminalId && epoch == other.epoch && first <= other.first && last == other.last
            && link.hash == other.link.hash
    }
}

/// Which neighbours keep a till's entries: those that come next in the circle of the store's numbers, so that
/// each till keeps for two others and nobody has to be chosen.
package enum Keepers {
    /// The keepers of a till.
    ///
    /// - Parameters:
    ///   - number: of the till within its store.
    ///   - reachable: the numbers of neighbours that respond, of any order.
    /// - Returns: at most ``NeighbourLimits/keepers`` numbers, the next one first; the till itself is none.
    package static func of(_ number: Int64, reachable: [Int64]) -> [Int64] {
        let others = Set(reachable).subtracting([number]).sorted()
        let next = others.filter { $0 > number } + others.filter { $0 < number }
        return Array(next.prefix(NeighbourLimits.keepers))
    }
}
