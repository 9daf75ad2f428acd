internal import HubProtocol
internal import HubStore
internal import Pricing
internal import Synchronization

/// The promotions of stores as they were last read, so that an evaluation does not read all of them.
final class PromotionIndexes: Sendable {
    private struct Kept {
        let mark: Int64
        let index: PromotionIndex
    }

    private let kept = Mutex<[String: Kept]>([:])
    /// Stores that are kept at once. 2,000 promotions take about a megabyte; with fewer stores a hub of many
    /// reads them again and again.
    private static let mostStores = 64

    /// The store's promotions as the ledger has them now: read again when one has changed since.
    func index(of storeId: String, in ledger: any EntityLedger) async throws(LedgerError) -> PromotionIndex {
        // Before the rows, so that a change between the two reads is found the next time.
        let mark = try await ledger.changeMark(ofKind: "promotion", for: storeId)
        if let known = kept.withLock({ $0[storeId] }), known.mark == mark { return known.index }
        let values = try await ledger.entities(ofKind: "promotion", for: storeId)
        let index = PromotionIndex(values.compactMap { try? Promotion(json: $0) })
        kept.withLock { kept in
            if kept.count >= Self.mostStores, kept[storeId] == nil { kept.removeAll() }
            kept[storeId] = Kept(mark: mark, index: index)
        }
        return index
    }
}
