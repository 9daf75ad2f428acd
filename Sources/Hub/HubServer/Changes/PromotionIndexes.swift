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

    private let kept = Mutex(RecentlyUsed<String, Kept>(most: PromotionIndexes.most))
    /// Promotions of all stores that are kept at once, some 64 MB, and one more for each store: 300 stores of
    /// 400 each. With half of them a chain of such stores reads its promotions again and again; doubled, the
    /// hub holds as much memory again.
    private static let most = 128_000

    /// The store's promotions as the ledger has them now: read again when one has changed since.
    func index(of storeId: String, in ledger: any Ledger) async throws(LedgerError) -> PromotionIndex {
        // Before the rows, so that a change between the two reads is found the next time.
        let mark = try await ledger.changeMark(ofKind: "promotion", for: storeId)
        if let known = kept.withLock({ $0.value(of: storeId) }), known.mark == mark { return known.index }
        let values = try await ledger.entities(ofKind: "promotion", for: storeId)
        let index = PromotionIndex(values.compactMap { try? Promotion(json: $0) })
        kept.withLock { $0.keep(Kept(mark: mark, index: index), of: storeId, size: values.count + 1) }
        return index
    }
}
