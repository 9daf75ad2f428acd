internal import HubProtocol

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
