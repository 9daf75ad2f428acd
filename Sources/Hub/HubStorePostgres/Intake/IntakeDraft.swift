import HubCore
import HubProtocol

/// What an intake knows of the database, and what it has not written yet.
struct IntakeDraft {
    /// A mutation's place in a journal.
    struct Slot: Hashable {
        let place: JournalPlace
        let sequence: Int64
    }

    /// A terminal's day.
    struct Day: Hashable {
        let terminalId: String
        /// Days since 1970.
        let day: Int64
    }

    /// A payment's key and the terminal that names it.
    struct PaymentName: Hashable {
        let key: String
        let terminalId: String
    }

    struct Entry {
        /// Its key.
        let id: String
        /// Nil when only the database knows it.
        let link: JournalChain.Link?
    }

    /// A price or stock of the feed.
    struct Term {
        let entity: String
        let value: JSONValue
    }

    struct Listed {
        let product: ListedProduct
        /// In thousandths of a unit.
        let soldMilli: Int64

        /// The count that the intake's flags rest on; it is compared again when the sale is counted.
        var stock: StockCount { StockCount(stockMilli: product.stockMilli, soldMilli: soldMilli) }
    }

    var clock = HybridLogicalClock()
    /// Of each terminal all, the last one last.
    var epochs: [String: [JournalEpoch]] = [:]
    /// Of each terminal's last epoch and those behind it.
    var witnesses: [JournalPlace: JournalWitness] = [:]
    /// The entries of each device, by the ids that terminals minted.
    var known: [String: [KnownMutation]] = [:]
    /// Mutations that were edited or discarded.
    var responded: Set<String> = []
    /// What was looked at. The database lacks what is not below although it was.
    var seen = SeenKeys()
    var slots: [Slot: Entry] = [:]
    var products: [String: Listed] = [:]
    /// Prices and stocks, by what they are looked up by.
    var terms: [String: [Term]] = [:]
    /// What the pushes sell, by sku. It is written last of all, since all pushes sell the same products.
    var sold: [String: StockSale] = [:]
    /// Of each device, by the ids that terminals minted.
    var orders: [String: [OrderState]] = [:]
    /// The terminals that push, by their ids.
    var devices: [String: KnownDevice] = [:]
    /// What terminals left here on a day, with what is not written yet.
    var usage: [Day: TerminalUsage] = [:]
    /// The order numbers that are taken.
    var orderNumbers: Set<String> = []
    /// What is kept under the keys that the pushes name.
    var payments: [PaymentName: PaymentAuthorization] = [:]
    /// Whether the transaction has documents of the journal feed.
    var hasDocuments = false
    var unwritten = UnwrittenIntake()
}

/// The keys that an intake read from the database.
struct SeenKeys {
    /// Of each journal, by sequence.
    var intervals: [JournalPlace: [ClosedRange<Int64>]] = [:]
    var skus: Set<String> = []
    /// Of terms.
    var lookups: Set<String> = []
    var orderIds: Set<String> = []
    var orderNumbers: Set<String> = []

    func contains(_ slot: IntakeDraft.Slot) -> Bool {
        intervals[slot.place]?.contains { $0.contains(slot.sequence) } ?? false
    }
}
