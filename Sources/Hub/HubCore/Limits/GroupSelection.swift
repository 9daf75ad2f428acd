/// Which of the waiting writes share the next transaction.
///
/// A terminal that drains, or a hostile one, sends the largest batches without a pause; a sale of a busy shop
/// is one mutation. So light writes share a transaction without heavy ones, and a heavy transaction ends by
/// its weight: a sale waits for one heavy transaction at most, and its own is short. A heavy write that was
/// passed over often enough goes first, so that a stream of light ones holds nobody up for good.
package struct GroupSelection: Hashable, Sendable {
    /// A write that waits, in the order of arrival.
    package struct Waiting: Hashable, Sendable {
        /// Mutations, at least 1.
        package let weight: Int
        /// Selections that left it out.
        package let passedOver: Int

        /// A write of `weight` mutations (at least 1) that `passedOver` selections left out so far.
        package init(weight: Int, passedOver: Int) {
            self.weight = weight
            self.passedOver = passedOver
        }
    }

    /// More in one transaction gains nothing and delays the first one's response. With half as many a rush
    /// syncs the disk twice as often; with twice as many its first sale waits for twice as much.
    package static let maximumCount = 32
    /// Mutations of one transaction, unless a single write holds more: one of the largest batches. Half of it
    /// changes nothing for those and makes smaller ones sync the disk twice as often; double it makes a sale
    /// wait twice as long.
    private static let maximumWeight = 200
    /// Up to so many mutations a write is light: what a terminal sends between two requests of a busy hour.
    private static let lightWeight = 20
    /// After so many selections a heavy write goes first. With 2 sales of a busy hour would wait for a heavy
    /// one every other time; with 8 a terminal that drains would wait twice as long for each batch.
    private static let mostPassedOver = 4

    /// Of the next part of a write that let light ones pass: one more selection may leave it out. With none
    /// each sale of a busy hour waits for a part; with ``mostPassedOver`` a batch takes twice as long there.
    package static let passedOverByPart = mostPassedOver - 1

    /// Whether a write of `weight` goes before heavy ones.
    package static func isLight(_ weight: Int) -> Bool { weight <= lightWeight }

    /// Positions of the writes of the next transaction, in the order in which they are done; empty only when
    /// nothing waits.
    package static func next(of waiting: [Waiting]) -> [Int] {
        let overdue = waiting.indices.filter { waiting[$0].passedOver >= mostPassedOver }
        let rest = waiting.indices.filter { waiting[$0].passedOver < mostPassedOver }
        // Light ones wait for an overdue write anyway, so they are written with it.
        let chosen =
            fitting(overdue, of: waiting) + fitting(rest.filter { isLight(waiting[$0]) }, of: waiting)
        return Array((chosen.isEmpty ? fitting(rest, of: waiting) : chosen).prefix(maximumCount))
    }

    private static func isLight(_ write: Waiting) -> Bool { isLight(write.weight) }

    /// As many of `positions`, from the first one on, as stay within the weight; one always does.
    private static func fitting(_ positions: [Int], of waiting: [Waiting]) -> [Int] {
        var weight = 0
        return Array(
            positions.prefix { position in
                let isFirst = weight == 0
                weight += waiting[position].weight
                return isFirst || weight <= maximumWeight
            })
    }
}
