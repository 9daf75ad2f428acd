import HubCore
import HubProtocol

/// What an intake knows of the database, and what it has not written yet. A push that is refused is undone by
/// going back to the value before it.
struct IntakeDraft {
    /// A mutation's place in a journal.
    struct Slot: Hashable {
        let place: JournalPlace
        let sequence: Int64
    }

    struct Entry {
        let id: String
        /// Nil when only the database knows it.
        let link: JournalChain.Link?
    }

    struct ListedProduct {
        let price: Int64
        let currency: String
        /// What the intake judges the stock by; it is looked at again when it is counted.
        let stock: StockCount
    }

    var clock = HybridLogicalClock()
    var epochs: [String: JournalEpoch] = [:]
    var known: [String: KnownMutation] = [:]
    /// Mutations that an edit stands in for, or that were given up.
    var answered: Set<String> = []
    /// Slots that were looked at; nil for an empty one.
    var slots: [Slot: Entry?] = [:]
    /// Products that were looked at; nil for a sku that is not in the catalogue.
    var products: [String: ListedProduct?] = [:]
    /// What the pushes sell, by sku. It is written last of all, since everybody sells the same things.
    var sold: [String: StockSale] = [:]
    /// Orders that were looked at, by their id; nil for one that was not taken in.
    var orders: [String: OrderState?] = [:]
    /// Order numbers that were looked at, and whether each is taken.
    var orderNumbers: [String: Bool] = [:]
    var unwritten = UnwrittenIntake()
}

/// The rows of an intake that the database does not have yet.
struct UnwrittenIntake {
    struct Order {
        let mutationId: String
        let device: DeviceIdentity
        let facts: OrderFacts
    }

    var mutations: [MutationRecord] = []
    var entries: [(slot: IntakeDraft.Slot, id: String)] = []
    var orders: [Order] = []
    var epochs: [String: JournalEpoch] = [:]
    var captures: [(key: String, terminalId: String)] = []
    var alarms: [Alarm] = []
}
