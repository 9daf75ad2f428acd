package import HubProtocol

/// Carts between two tills: the giver's note is there, and the taker's is not.
extension StoreNotes {
    /// Where a cart is that no till has parked.
    package enum Whereabouts: Hashable, Sendable {
        /// By whatever till.
        case sold
        /// Its taker has it, and no note says what became of it there.
        case granted(GrantedRight, by: String)
    }

    /// Nil: nothing is known of it, or it was dropped.
    package func whereabouts(of cart: String) -> Whereabouts? {
        switch end(of: cart) {
        case .ended(.sold): return .sold
        case .granted(let grant):
            guard !hasLeft(cart, grant.to, after: grant.turn),
                let giver = grants(to: grant.to).first(where: { $0.grant == grant })?.list.terminalId
            else { return nil }
            return .granted(grant, by: giver)
        case .open, .ended, nil: return nil
        }
    }
}
