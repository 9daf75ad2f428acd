/// Which of the waiting writes share the next transaction.
///
/// A terminal that drains, or a hostile one, sends the largest batches without a pause; a sale of a busy shop
/// is one mutation. So light writes go before heavy ones, and a transaction ends by its weight: a sale waits
/// for one transaction of bounded size, however many heavy ones wait. A heavy write that was passed over
/// often enough goes first, so that a stream of light ones holds nobody up for good.
public struct GroupSelection: Hashable, Sendable {
    /// A write that waits, in the order of arrival.
    public struct Waiting: Hashable, Sendable {
        /// Mutations, at least 1.
        public let weight: Int
        /// Selections that left it out.
        public let passedOver: Int

        public init(weight: Int, passedOver: Int) {
            self.weight = weight
            self.passedOver = passedOver
        }
    }

    /// More in one transaction gains nothing and delays the first one's answer.
    public static let maximumCount = 32
    /// Mutations of one transaction, unless a single write holds more: two of the largest batches. Half of it
    /// makes a drain sync the disk twice as often, double it makes a sale wait twice as long.
    public static let maximumWeight = 400
    /// Up to so many mutations a write is light: what a terminal sends between two requests of a busy hour.
    public static let lightWeight = 20
    /// After so many selections a heavy write goes first.
    public static let mostPassedOver = 4

    /// Positions of the writes of the next transaction, in the order in which they are done; empty only when
    /// nothing waits.
    public static func next(of waiting: [Waiting]) -> [Int] {
        func rank(_ write: Waiting) -> Int {
            if write.passedOver >= mostPassedOver { return 0 }
            return write.weight <= lightWeight ? 1 : 2
        }
        let order = waiting.indices.sorted { (rank(waiting[$0]), $0) < (rank(waiting[$1]), $1) }
        var (chosen, weight): ([Int], Int) = ([], 0)
        for index in order.prefix(maximumCount) {
            weight += waiting[index].weight
            if !chosen.isEmpty, weight > maximumWeight { break }
            chosen.append(index)
        }
        return chosen
    }
}
