internal import AgentAPI
internal import HubProtocol
internal import Pricing

extension CounterScreen {
    mutating func receive(_ response: CounterResponse, of id: Int) {
        if let pricing, pricing.id == id { return receivePrice(response, of: pricing.next, pricing.change) }
        if id == searching { return receiveFound(response) }
        if id == lookingForLeft { return receive(left: response) }
        if id == lookingForUnseen {
            if case .unseenSales(let sales) = response { show(unseen: sales) }
            return
        }
        if id == lookingForPaper {
            guard case .printer(let printer) = response else { return }
            if case .printer = dialog { dialog = .printer(printer) }
            notePaper(of: printer)
            receive(paper: printer)
            return
        }
        if id == readingTenders {
            if case .tenders(let next) = response { receive(tenders: next) }
            return
        }
        guard let action, action.id == id else { return }
        self.action = nil
        receive(response, to: action.request)
        priceNext()
        switch response {
        case .refused, .gone: takeAhead(isRefused: true)
        default: takeAhead(isRefused: false)
        }
    }

    private mutating func receiveFound(_ response: CounterResponse) {
        guard case .search(let editor, _, _) = dialog else { return }
        switch response {
        case .products(let products): dialog = .search(editor, products, selected: 0)
        case .refused(let failure): complain(text.refusal(failure, of: nil))
        case .gone: complain(text.gone)
        default: break
        }
    }

    private mutating func receivePrice(
        _ response: CounterResponse, of next: CounterCart, _ change: CartChange
    ) {
        pricing = nil
        switch response {
        case .quote(let quote):
            var priced = next
            priced.quote = quote
            let before = cart
            unknownScan = nil
            take(priced, after: change)
            sayWhatChanged(since: before, by: change)
            noteFitting()
            keepCart()
            if paysNext, queue.isEmpty, dialog == nil {
                paysNext = false
                openTenders()
            }
        case .refused(let failure):
            paysNext = false
            let hasPINs = cashier != nil || status?.isSignInRequired == true
            complain(text.refusal(failure, of: change, hasPINs: hasPINs))
            enterWhatIsMissing(failure, of: change)
            if case .resume(let kept, _) = change { leaveAgain(kept) }
            if failure.code == "unknown_barcode", case .scan(let line, _) = change { unknownScan = line }
        case .gone: complain(text.gone)
        default: break
        }
        priceNext()
    }

    /// Opens the field for what is missing of the article that was scanned: its quantity or price. While more
    /// scans wait or another dialog is open, the keys would land in the wrong field: then the refusal alone
    /// is shown, and the article is scanned again.
    private mutating func enterWhatIsMissing(_ failure: AgentFailure, of change: CartChange) {
        guard case .scan(let line, _) = change, queue.isEmpty, dialog == nil else { return }
        let name = failure.details.article ?? line.barcode
        switch failure.code {
        case "quantity_required": dialog = .entry(.openQuantity(line, name: name), LineEditor())
        case "price_required":
            let currency = failure.details.currency ?? cart.currency
            dialog = .entry(.openPrice(line, name: name, currency: currency), LineEditor())
        default: return
        }
        message = nil
    }

    private mutating func sayWhatChanged(since before: CounterCart, by change: CartChange) {
        let quoted = zip(before.quote?.lines ?? [], cart.quote?.lines ?? [])
        let dearer = quoted.first { $0.barcode == $1.barcode && $0.unitPrice != $1.unitPrice }
        if case .reprice = change, let (old, new) = dearer {
            say(text.priceChanged(new.name, from: old.unitPrice, to: new.unitPrice, currency: cart.currency))
        } else if case .reprice = change {
            // Why it was priced anew is on the screen.
        } else if case .resume(let kept, nil) = change, kept.returns != nil {
            complain(text.nothingComesBack)
        } else if case .member = change, let member = cart.quote?.member, !member.isKnown {
            complain(text.unknownMember(member.memberId))
            nameNewMember(member.memberId)
        } else if message?.isError != true || queue.isEmpty {
            // Of many scans at once the refused one stays to be read.
            if case .scan = change, message?.isError == true { return }
            message = nil
        }
    }

    /// Opens the field for the name of a customer whose telephone number nobody has. Keys that wait are for
    /// something else: then the number stays noted as typed.
    private mutating func nameNewMember(_ typed: String) {
        guard !MemberRecord.personalForms(of: typed).isEmpty, queue.isEmpty, dialog == nil else { return }
        dialog = .entry(.memberName(phone: typed), LineEditor())
    }

    private mutating func receive(_ response: CounterResponse, to request: CounterRequest) {
        switch response {
        case .sold(let sale) where sale.repeatedOf != nil && unanswered != sale.sale.key:
            soldBefore(sale)
        case .sold(let sale):
            beginCart()
            message = nil
            lastSale = sale.sale
            dialog = .paid(sale, .unknown)
        case .session(let session): receive(session)
        case .parked(let parked):
            beginCart()
            dialog = nil
            say(text.parked(parked))
        case .parkedCarts(let carts): if case .carts = dialog { dialog = .carts(carts, selected: 0) }
        case .kept(let kept): receive(kept, to: request)
        case .resumed(let cart): resume(cart)
        case .departments(let departments): receive(departments)
        case .orders(let orders):
            if case .orders(_, let editor, _) = dialog {
                dialog = .orders(orders, editor, selected: 0)
            } else if case .orders(limit: 1) = request {
                receive(last: orders.first)
            }
        case .order(let order): goOn(with: CounterRefund(order))
        case .receiptLeft(let receipt):
            if case .receiptLeft(let code) = request { goOn(with: CounterRefund(receipt, code: code)) }
        case .refunded(let refund):
            approver = nil
            dialog = .refunded(refund)
        case .voided(let order): receive(voided: order)
        case .unseenSales(let sales): receive(unseen: sales)
        case .refusals(let list):
            if case .refusals = dialog { dialog = .refusals(CounterRefusal.all(of: list), selected: 0) }
        case .printer(let printer):
            notePaper(of: printer)
            if case .printer = dialog { dialog = .printer(printer) }
        case .tills(let tills): if case .tills = dialog { dialog = .tills(tills, selected: 0) }
        case .member(let member):
            dialog = nil
            change(.member(member.memberId))
        case .shift(let shift): receive(shift)
        case .refused(let failure): receive(failure, to: request)
        case .gone:
            if case .sell(let call) = request { unanswered = call.key }
            goOn(with: nil)
            complain(text.gone)
        case .done: goOn(behind: request)
        case .quote, .products, .tenders: break
        }
    }

    private mutating func receive(_ departments: [DepartmentRecord]) {
        guard case .departments(_, let line, _) = dialog else { return }
        dialog = departments.isEmpty ? nil : .departments(departments, line, selected: 0)
        if departments.isEmpty { complain(text.noDepartments) }
    }

    /// A list is read again behind a change of it.
    private mutating func goOn(behind request: CounterRequest) {
        approver = nil
        switch request {
        case .drop:
            dialog = .carts(nil, selected: 0)
            act(.parkedCarts)
        case .resolve:
            dialog = .refusals(nil, selected: 0)
            act(.refusals)
        case .printAgain, .printTestPage, .printCopy: showPrinter()
        case .moveCash: showShift()
        case .empty: isEmptied()
        default: break
        }
    }

    private mutating func receive(_ session: SessionResponse) {
        cashier = session.cashier
        dialog = nil
        say(cashier.map { text.signedIn($0.name) } ?? text.signedOut)
        resumeInterrupted()
    }

    private mutating func receive(_ failure: AgentFailure, to request: CounterRequest) {
        // The approver was refused, or was for this request alone: the next one is entered anew.
        approver = nil
        switch failure.code {
        case "sign_in_required":
            interrupted = request
            dialog = .entry(.cashier, LineEditor())
        case "approval_required":
            interrupted = request
            dialog = .entry(.approver(action: failure.details.action ?? ""), LineEditor())
        case "clock_differs":
            isClockConfirmed = true
            dialog = nil
        case "voucher_used":
            warnings.insert(.voucher(cart: cart.key))
            dialog = nil
        case "count_differs", "drawer_short":
            enterAgain(request)
        case "price_changed":
            dialog = nil
            change(.reprice)
        default:
            noteDoubt(failure, of: request)
            if case .signIn(let id, _) = request { dialog = .entry(.cashierPIN(id: id), LineEditor()) }
            if case .sell = request, case .entry = dialog { dialog = nil }
            if confirming == nil, case .resume = request, case .offer = dialog { dialog = nil }
            goOn(with: nil)
        }
        if failure.code == "pin_locked", let wait = failure.details.waitMilliseconds {
            pinWait = Int(max(1_000, wait) + 999) / 1_000
        }
        let doubt = confirming == nil ? nil : text.doubt(failure.code)
        complain(pinWait.map(text.pinLocked) ?? doubt ?? text.refusal(failure, of: nil))
        // What waited to be kept was not sent beside the request.
        switch request {
        case .sell, .park, .take, .handBack, .empty: if !cart.hasNothing { keepCart() }
        default: break
        }
    }

    /// Sends what was refused for want of a person once more.
    mutating func resumeInterrupted() {
        guard let request = interrupted else { return }
        interrupted = nil
        switch request {
        case .sell(var call):
            call.person = person
            act(.sell(call))
        case .refund(let call):
            act(
                .refund(
                    RefundOrderCall(
                        of: call.origin, lines: call.lines, reason: call.reason, key: call.key,
                        person: person,
                        files: call.files)))
        case .setManual(let call):
            act(.setManual(SetManualCall(isOn: call.isOn, reason: call.reason, person: person)))
        case .takeCart(let id, _): act(.takeCart(cartId: id, person))
        // Who may copy a cart may take it.
        case .fetchCart(let id), .copyCart(let id, _): act(.copyCart(cartId: id, person))
        case .void(let call): act(.void(VoidOrderCall(id: call.id, reason: call.reason, person: person)))
        case .resolve(let call): act(.resolve(ResolveRefusalCall(id: call.id, call.decision, by: person)))
        case .openShift(let call): act(.openShift(OpenShiftCall(float: call.float, person: person)))
        case .moveCash(let call):
            var again = MoveCashCall(
                call.kind, amount: call.amount, reason: call.reason, key: call.key, person: person)
            again.isConfirmed = call.isConfirmed
            act(.moveCash(again))
        case .closeShift(let call):
            var again = CloseShiftCall(counted: call.counted, others: call.others, person: person)
            again.isConfirmed = call.isConfirmed
            act(.closeShift(again))
        default: act(request)
        }
    }
}
