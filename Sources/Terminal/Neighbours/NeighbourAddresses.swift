internal import HubProtocol

/// Which addresses of the store's tills are tried.
package enum NeighbourAddresses {
    /// What a person named first, then the first address of each till, then the second of each: a till with
    /// many addresses keeps none from being tried at one of theirs.
    ///
    /// - Parameters:
    ///   - named: what the configuration has.
    ///   - tills: where the others listen, as the hub says, by their ids.
    ///   - own: where this till listens itself.
    /// - Returns: at most ``NeighbourLimits/addresses``, each once.
    package static func chosen<Address: Hashable>(
        named: [Address], of tills: [String: [Address]], without own: Set<Address>
    ) -> [Address] {
        let lists = NeighbourWatch.neighbours(among: tills.keys).map { id in
            (tills[id] ?? []).filter { !own.contains($0) }
        }
        let rounds = (0..<(lists.map(\.count).max() ?? 0)).flatMap { round in
            lists.compactMap { $0.count > round ? $0[round] : nil }
        }
        var (chosen, seen) = ([Address](), own)
        for address in named + rounds where chosen.count < NeighbourLimits.addresses {
            if seen.insert(address).inserted { chosen.append(address) }
        }
        return chosen
    }
}
