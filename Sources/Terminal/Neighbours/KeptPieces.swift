internal import Base
package import HubProtocol

/// What a keeper knows of a piece that it keeps; the bytes are in the store.
package struct KeptPiece: Hashable, Sendable {
    /// One piece: of a maker's epoch, the entries from `first` to `last`.
    package struct ID: Hashable, Comparable, Sendable {
        package let terminalId: String
        package let epoch: Int64
        package let first: Int64
        package let last: Int64

        package init(terminalId: String, epoch: Int64, first: Int64, last: Int64) {
            self.terminalId = terminalId
            self.epoch = epoch
            self.first = first
            self.last = last
        }

        /// By maker, epoch and first entry.
        package static func < (left: ID, right: ID) -> Bool {
            (left.terminalId, left.epoch, left.first, left.last)
                < (right.terminalId, right.epoch, right.first, right.last)
        }
    }

    package let id: ID
    /// Bytes on disk.
    package let size: Int64
    /// Counts the pieces that this keeper accepted: a higher one came later.
    package let arrival: Int64
    /// When it came, by the keeper's wall clock in milliseconds since 1970.
    package let keptAt: Int64

    /// Makes a piece without a check.
    package init(id: ID, size: Int64, arrival: Int64, keptAt: Int64) {
        self.id = id
        self.size = size
        self.arrival = arrival
        self.keptAt = keptAt
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

    /// - Parameter capacity: in bytes, `neighbours.keepMegabytes`.
    package init(_ kept: [KeptPiece], capacity: Int64) {
        self.capacity = capacity
        for piece in kept { pieces[piece.id] = piece }
    }

    /// In order of makers, epochs and entries: in this order they are handed in.
    package var all: [KeptPiece] { pieces.values.sorted { $0.id < $1.id } }

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

    /// What is kept of a till, as its keeper says it; nil: nothing.
    package func kept(of maker: String) -> NeighbourKept? {
        let own = all.filter { $0.id.terminalId == maker }
        guard let last = own.last?.id else { return nil }
        // In order of their first entries, the pieces of the last epoch follow each other from the first on.
        var through = Int64(0)
        for piece in own where piece.id.epoch == last.epoch {
            guard through == 0 || piece.id.first <= through + 1 else { break }
            through = max(through, piece.id.last)
        }
        return NeighbourKept(
            epoch: last.epoch, entries: own.reduce(0) { $0 + $1.id.last - $1.id.first + 1 }, through: through)
    }

    /// The pieces that are not needed any more: the hub has their entries, as its response to a relay or the
    /// maker's signed head says.
    ///
    /// - Parameter through: the journal of the epoch up to this sequence has results.
    package func covered(maker: String, epoch: Int64, through: Int64) -> [KeptPiece.ID] {
        pieces.keys.filter { $0.terminalId == maker && $0.epoch == epoch && $0.last <= through }.sorted()
    }

    /// The pieces that were kept longer than ``NeighbourLimits/piecesKept``.
    package func expired(at now: Int64) -> [KeptPiece.ID] {
        older(than: NeighbourLimits.piecesKept.wholeMilliseconds, at: now)
    }

    /// Makers of pieces that have waited for the hub longer than ``NeighbourLimits/pieceAlarm``.
    package func overdue(at now: Int64) -> Set<String> {
        Set(older(than: NeighbourLimits.pieceAlarm.wholeMilliseconds, at: now).map(\.terminalId))
    }

    private func older(than age: Int64, at now: Int64) -> [KeptPiece.ID] {
        pieces.values.filter { now - $0.keptAt > age }.map(\.id).sorted()
    }

    /// The piece is durable.
    package mutating func add(_ piece: KeptPiece) { pieces[piece.id] = piece }

    /// The pieces were deleted.
    package mutating func remove(_ ids: some Sequence<KeptPiece.ID>) { for id in ids { pieces[id] = nil } }
}

extension KeptPiece.ID {
    /// Whether all entries of `other` are in this piece.
    func covers(_ other: KeptPiece.ID) -> Bool {
        terminalId == other.terminalId && epoch == other.epoch && first <= other.first && last >= other.last
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
