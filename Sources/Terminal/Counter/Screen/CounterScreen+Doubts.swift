internal import AgentAPI

/// A cart that was refused for another till's sake, and what a person who means it does.
enum CartDoubt: Hashable, Sendable {
    /// Another till has or sold it as well.
    case take(String)
    /// Its till is silent.
    case copy(String)
}

extension CounterScreen {
    /// Keeps what Enter does next, where another till is silent or has the same cart. The cart of a copy has
    /// an id of its own.
    mutating func noteDoubt(_ failure: AgentFailure, of request: CounterRequest) {
        switch (request, failure.code) {
        case (.fetchCart(let id), "owner_silent"): confirming = .copy(id)
        case (.resume(let id), "cart_copied"), (.fetchCart(let id), "cart_copied"),
            (.copyCart(let id, _), "cart_copied"):
            confirming = .take(failure.details.cart ?? id)
        case (.sell(let call), "cart_copied"):
            confirming = .take(call.key ?? cart.key)
            dialog = nil
        default: break
        }
    }

    /// Does what was meant by Enter; every other key means something else.
    ///
    /// - Returns: whether the key is used up.
    mutating func confirm(_ key: Key) -> Bool {
        guard let doubt = confirming else { return false }
        confirming = nil
        message = nil
        guard key == .enter else { return false }
        switch doubt {
        case .take(let id): act(.takeCart(cartId: id, person))
        case .copy(let id): act(.copyCart(cartId: id, person))
        }
        return true
    }
}
