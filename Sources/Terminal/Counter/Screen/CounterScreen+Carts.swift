package import AgentAPI

internal import HubProtocol
internal import Pricing

package struct CounterHandBack: Hashable, Sendable {
    /// By tender, as it was taken.
    package let back: HandBack
    /// Nil: of the cart on the screen.
    package let dropped: Dropped?

    /// A parked or left cart that is dropped.
    package struct Dropped: Hashable, Sendable {
        /// A ULID.
        package let cartId: String
        /// For the agent's log.
        package let reason: String
    }
}

/// How the screen takes, keeps and lets go of a cart. What becomes of the money decides ``TakenMoney``.
extension CounterScreen {
    // MARK: - Keeping

    mutating func keepCall(taking tenders: [SellCall.Tender]) -> KeepCartCall {
        revision += 1
        return KeepCartCall(cart.kept(taking: tenders), revision: revision)
    }

    /// Sends what is on the screen to be kept; an empty screen leaves what it had.
    mutating func keepCart() {
        switch action?.request {
        // What is being taken or removed is not on the screen yet: an older list would undo it.
        case .take, .handBack, .empty, .park: return
        default: break
        }
        revision += 1
        let kept = cart.hasNothing ? nil : cart.kept(taking: cart.tenders)
        effects.append(.keepCart(KeepCartCall(kept, revision: revision)))
    }

    /// A cart that cannot be priced now stays at the agent, and is not offered here again.
    mutating func leaveAgain(_ kept: CartRecord) {
        declined.insert(kept.cartId)
        keepCart()
    }

    /// A card that the total does not need any more is not charged.
    mutating func noteFitting() {
        let fitting = cart.money.fitting(cart.cashTotal - (cart.returned?.worth ?? 0))
        guard fitting != cart.money else { return }
        let dropped = HandBack(inHand: [], notCharged: cart.money.parts.filter { !$0.isInHand })
        cart.money = fitting
        say(words(of: dropped))
    }

    mutating func receive(_ kept: CartSummary, to request: CounterRequest) {
        guard kept.cartId == cart.key else { return }
        switch request {
        case .take:
            cart.money = kept.money
            dialog = .tender(LineEditor(), selected: 0)
            say(text.stillDue(due.cash, cart.currency, of: cart.money))
        case .handBack:
            let back = cart.money.handBack(at: .emptied)
            cart.money = kept.money
            dialog = .tender(LineEditor(), selected: 0)
            say(words(of: back))
        default: break
        }
    }

    /// Hands back what was taken; the cart stays.
    mutating func handBack() { act(.handBack(keepCall(taking: []))) }

    private func words(of back: HandBack) -> String {
        back.lines(in: text.language, text.method).joined(separator: " · ")
    }

    // MARK: - Emptying

    /// The last line goes. What the customer has handed over goes back first; the rest of the customer,
    /// member and coupons too, goes with the cart.
    mutating func emptyCart() {
        let back = cart.money.handBack(at: .emptied)
        guard back.inHand.isEmpty else {
            dialog = .handBack(CounterHandBack(back: back, dropped: nil))
            effects.append(.bell)
            return
        }
        _ = send(.empty(cartId: cart.key, isHandedBack: false))
        forgetCart()
        if !back.isNothing { say(words(of: back)) }
    }

    /// Goods that came back are still on the counter, and so is their customer.
    private mutating func forgetCart() {
        let (returned, member) = (cart.returned, cart.member)
        beginCart()
        guard returned != nil else { return }
        (cart.returned, cart.member) = (returned, member)
        if member != nil { readTenders() }
        keepCart()
    }

    /// The goods that come back go with their customer; nothing was sold for them.
    mutating func dropReturned() {
        _ = send(.empty(cartId: cart.key, isHandedBack: false))
        beginCart()
        say(text.notExchanged)
    }

    mutating func takeAtHandBack(_ key: Key, _ back: CounterHandBack) {
        switch key {
        case .enter:
            if let dropped = back.dropped {
                act(.drop(cartId: dropped.cartId, reason: dropped.reason, isHandedBack: true))
            } else {
                act(.empty(cartId: cart.key, isHandedBack: true))
            }
        // A scanner types its code before it presses Enter: a scan is no confirmation.
        case .typed, .paste:
            close()
            takeAtCart(key)
        default: break
        }
    }

    /// The agent has removed the cart on the screen.
    mutating func isEmptied() {
        let back = cart.money.handBack(at: .emptied)
        dialog = nil
        forgetCart()
        say(words(of: back))
    }

    /// A parked or left cart is dropped, once its customer has the money back.
    mutating func drop(_ cart: CartRecord, reason: String) {
        let back = cart.money.handBack(at: .emptied)
        guard back.inHand.isEmpty else {
            dialog = .handBack(
                CounterHandBack(back: back, dropped: .init(cartId: cart.cartId, reason: reason)))
            return
        }
        act(.drop(cartId: cart.cartId, reason: reason, isHandedBack: false))
    }

    // MARK: - Leaving and going on

    /// The agent keeps what is on the screen for the next counter.
    mutating func leave() { effects.append(.leave) }

    /// Takes a cart up. Of one that is an exchange the sale is read first whose goods come back.
    mutating func resume(_ kept: CartRecord) {
        (dialog, approver, confirming) = (nil, nil, nil)
        switch kept.returns?.origin {
        case .order(let id):
            resuming = kept
            act(.order(id: id))
        case .receipt(let code):
            resuming = kept
            act(.receiptLeft(code: code))
        case .nothing, nil: change(.resume(kept, nil))
        }
    }

    /// - Parameter goods: what is left of the sale whose goods come back for the cart that is taken up; nil:
    ///   the agent does not say.
    mutating func goOn(with goods: CounterRefund?) {
        guard let kept = resuming else { return }
        resuming = nil
        let returned = kept.returns.flatMap { returns in
            goods.flatMap { CounterReturn(returns, of: $0, smallestCoin: smallestCoin) }
        }
        guard kept.lines.isEmpty else { return change(.resume(kept, returned)) }
        // Nothing was sold for the goods yet, so that without them there is no cart.
        if let returned {
            change(.resume(kept, returned))
            say(text.exchanged(returned.worth, cart.currency))
        } else if goods == nil {
            leaveAgain(kept)
        } else {
            _ = send(.empty(cartId: kept.cartId, isHandedBack: false))
            complain(text.nothingComesBack)
        }
    }

    /// Looks whether the cart on this screen is still its own: who took it over, or sold it, is in the
    /// response to what is kept next.
    private mutating func noteOwner(in carts: [CartSummary]) {
        elsewhere = carts.filter {
            $0.state == .open && $0.cartId != cart.key && $0.frontEnd != frontEnd
        }
        let mine = carts.first { $0.cartId == cart.key }
        if mine != nil { listed = cart.key }
        guard let frontEnd, !cart.hasNothing, listed == cart.key, mine?.frontEnd != frontEnd else { return }
        // A sale of this screen's own that is on its way takes it off the list, too.
        guard !isSettling, unanswered != cart.key else { return }
        keepCart()
    }

    /// Offers what a window left, while there is no customer at this one.
    mutating func offer(_ carts: [CartSummary]) {
        noteOwner(in: carts)
        let wanting = carts.first { $0.cartId == cart.key }?.wantedBy
        if let wanting, wanting != wantedBy { complain(text.wanted(by: wanting)) }
        wantedBy = wanting
        if case .offer(let offered) = dialog,
            !carts.contains(where: { $0.cartId == offered.cartId && $0.state == .left })
        {
            // Another window has taken it.
            dialog = nil
        }
        guard dialog == nil, cart.hasNothing, unpriced == 0, action == nil,
            field.text.isEmpty,
            let left = carts.first(where: { $0.state == .left && !declined.contains($0.cartId) })
        else { return }
        dialog = .offer(left)
        effects.append(.bell)
    }

    mutating func takeAtOffer(_ key: Key, _ offered: CartSummary) {
        switch key {
        case .enter: act(.resume(cartId: offered.cartId))
        case .up, .down, .tab: break
        default:
            // The next customer is there already: what is typed or scanned is theirs.
            close()
            takeAtCart(key)
        }
    }

    /// The cart was sold by somebody else, so this customer's money is to be given back.
    mutating func soldBefore(_ sale: SaleResponse) {
        beginCart()
        lastSale = sale.sale
        dialog = nil
        complain(text.soldBefore(sale.sale.orderNumber, time(sale.repeatedOf ?? "")))
    }

    /// The agent did not keep the lines on the screen.
    mutating func noteLost(_ failure: AgentFailure) {
        if failure.code == "already_sold", unanswered == cart.key { return complain(text.soldUnseen) }
        complain(text.refusal(failure, of: nil))
        guard ["cart_in_use", "already_sold", "cart_granted"].contains(failure.code) else { return }
        dialog = nil
        queue = []
        beginCart()
    }
}
