internal import Base
internal import HubProtocol
internal import OfflineCore
internal import Pricing

/// With the names of commands: `pos` prints them as they are.
struct EnglishRefusalTexts: RefusalTexts {
    /// Of whatever needs a store.
    fileprivate static let notEnrolled = "The terminal belongs to no store yet; run `pos init`."

    func text(_ refusal: SaleRefusal) -> String { refusal.english }
    func text(_ refusal: OrderRefusal) -> String { refusal.english }
    func text(_ refusal: AuthorityRefusal) -> String { refusal.english }
    func text(_ refusal: MemberRefusal) -> String { refusal.english }
    func text(_ refusal: ShiftRefusal) -> String { refusal.english }
    func text(_ refusal: CartRefusal) -> String { refusal.english }

    func why(_ absence: CardAbsence) -> String {
        switch absence {
        case .notConfigured: "no payment service is configured at the hub"
        case .notEnrolled: "the hub does not accept this terminal until it is enrolled again"
        case .offline(let causes):
            "the terminal is offline (\(causes.map(\.rawValue).joined(separator: ", ")))"
        case .unavailable: "the payment service is not available"
        case .busy: "the payment service has other cards of this till to decide first"
        }
    }

    func why(_ obstacle: TillObstacle) -> String {
        switch obstacle {
        case .switchedOff: "this till is switched off the network by hand"
        case .network: "the hub cannot be reached"
        case .service(let name): "the hub's service \(name) is down"
        case .slow(let name): "the hub's service \(name) does not respond in time"
        case .notEnrolled: "the hub does not accept this terminal"
        case .noPayments: "no payment service is configured at the hub"
        case .noTender: "the store takes no cards"
        case .signInRequired: "nobody is signed in"
        case .shiftRequired: "no shift is open"
        case .diskFull: "the disk is full"
        case .notRecording: "this till cannot record now"
        case .clockDiffers(let own, let hub): "this till's clock says \(own), the hub's \(hub)"
        case .cardLimit(.unreadable): "the cards taken before cannot be read"
        case .cardLimit(let limit): "offlineCard.\(limit.rawValue) is reached"
        case .machineUndecided: "the result of an earlier card payment is open"
        case .machineAway: "the card machine cannot be reached"
        case .machineRefused: "the card machine refuses this till"
        case .machineBusy: "the card machine is busy with another till"
        case .tooOld: "the hub wants a newer version of this till"
        case .superseded: "another copy of this till goes on"
        case .busy(let end): "the hub asked to wait until \(end)"
        }
    }

    private func end(of obstacle: TillObstacle) -> String {
        switch obstacle {
        case .switchedOff: "ends with `\(TillObstacle.goOnline)`"
        case .network: "ends by itself once the hub responds"
        case .service: "ends by itself once the hub's decision is taken back"
        case .slow: "ends by itself with a response in time"
        case .notEnrolled, .superseded: "ends when it is enrolled again: `\(TillObstacle.enrol)`"
        case .noPayments: "ends with the first pull after the hub has one"
        case .noTender: "ends when the store lists one"
        case .signInRequired: "ends with `pos sign-in CASHIER`"
        case .shiftRequired: "ends with `pos shift open --float AMOUNT`"
        case .diskFull: "ends when there is room again"
        case .notRecording: "`pos doctor` says why"
        case .clockDiffers: "ends when the clock is set"
        case .cardLimit: "ends by itself once the hub has taken them"
        case .machineUndecided: "ends with the machine's answer, or with `pos card decide`"
        case .machineAway, .machineBusy: "it is tried again within half a minute, or with `pos card test`"
        case .machineRefused: "`pos card test` says why"
        case .tooOld: "ends with an update"
        case .busy: "ends by itself then"
        }
    }

    func text(_ obstacle: TillObstacle) -> String { "\(why(obstacle)); \(end(of: obstacle))" }
}

extension SaleRefusal {
    fileprivate var english: String {
        switch self {
        case .noLines: "The sale has no lines; scan an article first."
        case .tooManyLines(let count, let limit):
            "The sale has \(count) lines and may have \(limit); split it."
        case .unknownBarcode(let barcode):
            "No article has the barcode \(CardNumber.masked(barcode)); check it, or pull the catalogue with "
                + "`pos sync now`."
        case .misreadBarcode(let barcode, let fault):
            "\(CardNumber.masked(barcode)) cannot be read: \(Language.english.sharedTexts.text(fault)); scan it again, or enter the article's own barcode."
        case .textTooLong(let field, let limit): "`\(field)` is longer than \(limit) bytes; shorten it."
        case .tooManyCoupons(let count, let limit):
            "The sale has \(count) coupons and may have \(limit); take some away."
        case .quantityOutOfRange(let barcode, let quantity, let limit):
            "The quantity of \(barcode) is \(QuantityText.text(milli: quantity)); it must be above 0 and at most "
                + "\(QuantityText.text(milli: limit))."
        case .fractionOfPiece(let barcode, let quantity):
            "\(barcode) is sold by the piece, not \(QuantityText.text(milli: quantity)) of it; "
                + "enter a whole number."
        case .negativePrice(let barcode): "The price of \(barcode) is below zero; enter 0 or more."
        case .quantityRequired(let barcode, let name):
            "\(name) is sold by weight or measure; enter how much (--line \(barcode):0.357)."
        case .priceRequired(let barcode, let name, _):
            "\(name) has no fixed price; enter one above zero (--line \(barcode)@PRICE)."
        case .departmentUnknown(let name, let known): unknown(department: name, known)
        case .departmentRateRequired(let name, let rates):
            "The articles of \(name) have the tax rates \(Self.percents(rates)); name one of them "
                + "(--line CODE@PRICE#\(name)/\(percentText(rates[0])))."
        case .negativeDiscount(let barcode): "The discount of \(barcode) is below zero; enter 0 or more."
        case .discountAboveLine(let barcode, let discount, let line):
            "The discount of \(discount) is more than the line of \(barcode), \(line); lower it."
        case .amountTooLarge: "The amount is too large to be money; check prices and quantities."
        case .mixedCurrencies(let one, let other):
            "The articles are priced in \(one) and \(other); sell them apart."
        case .unknownPaymentMethod(let method, let known):
            "`\(method)` is no payment method of this store; use \(known.joined(separator: ", "))."
        case .referenceUnused(let method):
            "`\(method)` takes no number; leave the reference out."
        case .referenceRequired(let method):
            "`\(method)` needs the number of the voucher: \(method):AMOUNT:NUMBER."
        case .voucherUsed(let number, nil):
            "The voucher \(number) is twice in this sale; enter it once."
        case .voucherUsed(let number, let order?):
            "The voucher \(number) has paid \(order) already; take another tender, or confirm that there is "
                + "money left on it (--voucher-confirmed)."
        case .tenderRefused(let method, let isOnline):
            "The store does not take `\(method)` while the hub \(isOnline ? "can be reached" : "is away"); "
                + "take another tender."
        case .authority(let refusal): refusal.english
        case .refund(let refusal): refusal.english
        case .couponRefused(let code, let objection): objection.english(of: code)
        case .points(let refusal): refusal.english
        case .negativePayment: "A payment is below zero; enter what was tendered."
        case .severalOpenPayments: "Only one payment may come without an amount; state the others."
        case .severalCards: "A sale takes two cards or wallets; pay the rest otherwise."
        case .paymentShort(let due, let tendered):
            "\(due) is due and \(tendered) was tendered; ask for the rest."
        case .cardAboveTotal(let total, let card):
            "\(card) would be paid of \(total) without cash, and only cash gives change; lower it."
        case .changeTooLarge(let change):
            "The change would be \(change); check the cash that was entered, it may be a scanned barcode."
        case .cardOffline(let absence):
            "No card can be taken now: \(EnglishRefusalTexts().why(absence)); take cash."
        case .offlineCardLimit(.unreadable):
            "Without the hub no card can be taken: what was taken before cannot be read (offline-cards.json); "
                + "take cash until the hub was reached."
        case .offlineCardLimit(let excess):
            "Without the hub no more can be taken by card: offlineCard.\(excess.rawValue) is reached; take cash."
        case .chargeAboveLimit(let excess):
            "The card machine charged this card without its bank, and offlineCard.\(excess.rawValue) is reached: "
                + "the charge goes back to the card, see `pos card status`; take cash."
        case .cardMachine(let trouble): machine(trouble)
        case .cardDeclined(let reason, let isVoidOpen):
            "The card was declined: \(part(reason)); take another card or cash."
                + (isVoidOpen
                    ? " The card machine has not confirmed that it gives the first card's money back; that is repeated."
                    : "")
        case .cardOutcomeUnknown(let detail, nil):
            "The card's outcome is unknown (\(detail)); it is being voided, nothing was sold; try again or take cash."
        case .cardOutcomeUnknown(let detail, let cart?):
            "The card's outcome is unknown (\(detail)). The sale waits as the parked cart \(cart): sell that cart "
                + "again, which charges nothing twice, or drop it, which voids the card."
        case .cardGivenUp:
            "The sale was given up during the card authorisation, which is being voided; nothing was sold."
        case .priceChanged(let quoted, let total):
            "The total is \(total) now and was \(quoted); inform the customer, then pay again."
        case .clockDiffers(let own, let hub):
            "This till's clock says \(own), the hub's \(hub); set the clock, or confirm it (--clock-confirmed)."
        case .cartGranted(let taker): CartObstacle.granted(to: taker).english("")
        case .shiftRequired:
            "No shift is open; count the drawer and open one with `pos shift open --float AMOUNT`."
        case .diskFull(let path):
            "The disk of \(path) is full, nothing was sold; free some space and sell again."
        case .notRecorded(let detail): "The sale cannot be recorded, nothing was sold: \(detail)."
        case .notEnrolled: EnglishRefusalTexts.notEnrolled
        }
    }

    private func unknown(department: String, _ known: [String]) -> String {
        guard !known.isEmpty else {
            return
                "The catalogue's articles have no departments, so nothing can be sold as \(department); import "
                + "them with a department."
        }
        // Some thirty names are a line that can still be read.
        let names = known.prefix(30).joined(separator: ", ") + (known.count > 30 ? ", …" : "")
        return "No article has the department \(department); the departments are: \(names)."
    }

    private func machine(_ trouble: DeviceTrouble) -> String {
        let why =
            switch trouble {
            case .unreachable: "The card machine was not reached; check its cable and `cardMachine.address`"
            case .busy: "The card machine is busy, perhaps with another till; wait for it"
            case .refused: "The card machine refuses this till; `pos card test` says why"
            case .undecided:
                "The result of an earlier request to the card machine is open; see `pos card status`"
            case .notKept: "The payment cannot be recorded; free space on the disk"
            }
        return why + ". Nothing was charged. Try again, or take another tender."
    }

    /// A message as a part of another sentence: without its full stop.
    private func part(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}

extension CouponObjection {
    fileprivate func english(of code: String) -> String {
        switch self {
        case .unknown: "Nobody knows the coupon \(code); check the code, or sell without it."
        case .repeated: "The coupon \(code) is in the sale twice; take one of them away."
        case .expired: "The coupon \(code) has expired; sell without it."
        case .otherMember:
            "The coupon \(code) is for one member only; name that member with the sale, or sell without it."
        case .usedUp: "The coupon \(code) is used up; sell without it."
        case .lent:
            "The coupon \(code) is lent to another till, which returns it while it is online; "
                + "try again in half a minute, or sell without it."
        case .needsHub:
            "The coupon \(code) needs the hub, which is not available now; sell without it, or later."
        case .notInForce: "What the coupon \(code) gives is not given now; sell without it."
        case .nothingToTakeOff:
            "Nothing in the sale is what the coupon \(code) is for; scan that article, or sell without it."
        case .membersOnly:
            "The coupon \(code) is for members, or for another tier; name the member with the sale, or sell without it."
        case .notCombined:
            "The coupon \(code) does not go together with other offers, by which the customer gets more; sell without it."
        }
    }
}

extension PointsRefusal {
    fileprivate var english: String {
        switch self {
        case .notOffered: "The store takes no points (points.valueMinor); sell without them."
        case .negative: "The points are below zero; enter 0 or more."
        case .memberUnknown: "Points need a member who is known here; name one, or sell without points."
        case .belowMinimum(let least): "A sale spends at least \(least) points; enter more, or none."
        case .aboveTotal(let value, let total):
            "The points are worth \(value), and \(total) is to be paid; spend fewer."
        case .unavailable(let wanted, let available, true, _):
            "This terminal can spend \(available) of the \(wanted) points now; the rest is lent to other "
                + "tills, which return it while they are online: try again in half a minute, or spend fewer."
        case .unavailable(let wanted, let available, false, true):
            "The member can spend \(available) of the \(wanted) points now; spend fewer."
        case .unavailable(let wanted, let available, false, false):
            "This terminal can spend \(available) of the \(wanted) points now; spend fewer, or try again when "
                + "the hub responds."
        }
    }
}

extension AuthorityRefusal {
    fileprivate var english: String {
        switch self {
        case .signInRequired:
            "This store works by its cashiers' names; sign in with `pos sign-in CASHIER`, "
                + "or give --cashier ID with --pin-stdin."
        case .noCashiers: "This store has no cashiers, so that nobody has to sign in."
        case .approvalRequired(let action, let missing): missing.english(for: action)
        case .pinRequired(let id): "\(id) was named without a PIN; give it with --pin-stdin, or sign in."
        case .wrongPIN(let id): "That is not the PIN of cashier \(id); enter id and PIN again."
        case .pinLocked(let id, let milliseconds):
            "Too many wrong PINs of cashier \(id); wait \((milliseconds + 999) / 1000) s, "
                + "or let another cashier go on."
        case .pinNotChecked(let id):
            "The PIN of \(id) can be checked by the hub alone, and it does not respond; try again, "
                + "or pull with `pos sync now`."
        case .textTooLong(let field, let limit): "`\(field)` is longer than \(limit) bytes; shorten it."
        case .diskFull(let path): "The disk of \(path) is full, nothing was done; free some space."
        case .notRecorded(let detail): "The store on disk cannot be used, nothing was done: \(detail)."
        case .notEnrolled: EnglishRefusalTexts.notEnrolled
        }
    }
}

extension AuthorityRefusal.MissingApprover {
    fileprivate func english(for action: ApprovalAction) -> String {
        let what = "`\(action.rawValue)` needs an approver; give --approver ID of a manager"
        switch self {
        case .nobody: return what + "."
        case .samePerson: return what + ", another person than the cashier."
        case .noManager(let id): return what + "; \(id) is none."
        }
    }
}

extension OrderRefusal {
    fileprivate var english: String {
        switch self {
        case .unknownOrder(let id): "This terminal has no order \(id); look it up with `pos orders list`."
        case .voidedAlready(let number): "The order \(number) is voided already; nothing was changed."
        case .voidedAtHub(let number):
            "At the hub the order \(number) is voided, and its money came back with that; give nothing more for it."
        case .refundedAlready(let number):
            "The order \(number) was refunded in part or whole; refund the rest with `pos orders refund`."
        case .returnedElsewhere(let number):
            "Other tills of the store gave so much of the order \(number) back that too little is left; nothing was refunded. `pos orders granted` lists what they have not given yet."
        case .unknownGrant(let id):
            "No other till may give anything back by \(id); `pos orders granted` lists what they may."
        case .notTakenBack(let id):
            "\(id) was not taken back: the other till made it meanwhile, or this till cannot write that now; look at `pos orders granted`, and try again."
        case .takerHeard(let till):
            "Till \(till) was heard just now and may be giving it back; let it do so, or try again once it was silent for a minute."
        case .nothingLeft(let number): "All of the order \(number) came back before; nothing was refunded."
        case .notInOrder(let article):
            "The order has no \(CardNumber.masked(article)); look its lines up with `pos orders show`."
        case .refusedByHub(let refusal): refusal.english
        case .moreThanLeft(let article, _, 0):
            "All of \(article) came back before; nothing was refunded."
        case .moreThanLeft(let article, let quantity, let left):
            "\(QuantityText.text(milli: quantity)) of \(article) cannot come back, "
                + "\(QuantityText.text(milli: left)) of the order is left; nothing was refunded."
        case .amountTooLarge: "The amount is too large to be money; nothing was refunded."
        case .receiptUnreadable:
            "That is not the code of a receipt, HF1.… in full; scan it again, or refund by the order's number "
                + "at the terminal that sold it."
        case .receiptInvalid:
            "No terminal of the store signed this receipt's code; scan it again. Nothing was refunded."
        case .receiptUnchecked:
            "The hub alone can check this receipt, and it does not respond or does not have the sale yet; try "
                + "again when this terminal and the one that sold it are online. Nothing was refunded."
        case .receiptCurrency(let currency, let store):
            "The receipt is in \(currency), this store sells in \(store); nothing was refunded."
        case .articleUnknown(let article):
            "This terminal's catalogue has no \(CardNumber.masked(article)), so its tax is unknown; try again when the hub "
                + "responds. Nothing was refunded."
        case .goodsMissing: "Name what comes back (--line); without a receipt nothing else says it."
        case .quantityInvalid(let article):
            "\(article) cannot come back in this quantity; nothing was refunded."
        case .priceOfReceipt(let article):
            "\(article) comes back at the price that was paid for it; leave its price out. Nothing was refunded."
        case .priceAboveCatalogue(let article, let price):
            "\(article) costs \(price), and no more is paid for it without a receipt; enter a lower price. "
                + "Nothing was refunded."
        case .quantityRequired(let article, let name):
            "\(name) is sold by weight or measure; enter how much comes back (--line \(article):0.357). "
                + "Nothing was refunded."
        case .priceRequired(let article, let name, _):
            "\(name) has no fixed price; enter what was paid for one (--line \(article)@PRICE). Nothing was "
                + "refunded."
        case .aboveLimit(let limit, .oneRefund):
            "Without the order a refund is at most \(limit) (refund.withoutOrder); try again when the hub "
                + "responds. Nothing was refunded."
        case .aboveLimit(let limit, .oneDay):
            "Without the orders this terminal gives back at most \(limit) a day (refund.withoutOrder); try "
                + "again when the hub responds. Nothing was refunded."
        case .changedMeanwhile:
            "Goods of this sale came back at the same time, so the amount is another one; nothing was recorded. "
                + "Try again."
        case .unknownCardReturn(let id):
            "Nothing of \(id) goes back by the card machine; `pos orders owed` lists what does. Nothing was paid."
        case .cardReturnWaiting(let id):
            "The card machine has not responded about \(id) and may have given the money back, so no cash is "
                + "paid; the request is repeated until the machine can be reached."
        case .cardReturnSettled(let id):
            "The money of \(id) is back on the card, or was paid in cash before; nothing more was paid."
        case .authority(let refusal): refusal.english
        case .diskFull(let path): "The disk of \(path) is full, nothing was changed; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was changed: \(detail)."
        case .notEnrolled: EnglishRefusalTexts.notEnrolled
        }
    }
}

extension HubRefusedRefund {
    fileprivate var english: String {
        if reason == .foreignStore {
            return
                "\(orderNumber) is another store's sale; scan the code of its receipt. Nothing was given back."
        }
        let parts = latest.map { refund, time in
            let what = refund.isReserved ? "is being given back" : refund.isVoid ? "was voided" : "came back"
            return "\(money(refund.total)) \(what)\(place(refund, time))"
        }
        let rest = left.map { "; \(money($0)) of it is left" } ?? ""
        let back = parts.isEmpty ? "more than was sold would come back" : parts.joined(separator: ", ")
        return "The hub refuses it: of \(orderNumber) \(back)\(rest). Nothing was given back."
    }

    private func place(_ refund: ReceiptSale.Refund, _ time: String) -> String {
        guard let place = refund.place else { return "" }
        let till = place.terminalNumber.map { "till \($0) of " } ?? ""
        return " at \(till)store \(place.storeId)" + (time.isEmpty ? "" : " on \(time)")
    }
}

extension MemberRefusal {
    fileprivate var english: String {
        switch self {
        case .phoneInvalid: "A telephone number has 6 to 20 digits; enter it with its area code."
        case .nameInvalid: "A member needs a name of 1 to \(MemberRecord.longestField) bytes; enter one."
        case .cardNumber: "The name looks like the number of a card, which is kept nowhere; enter a name."
        case .authority(let refusal): refusal.english
        case .diskFull(let path): "The disk of \(path) is full, nothing was recorded; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was recorded: \(detail)."
        case .notEnrolled: EnglishRefusalTexts.notEnrolled
        }
    }
}

extension ShiftRefusal {
    fileprivate var english: String {
        switch self {
        case .alreadyOpen(let id):
            "The shift \(id) is open; close it with `pos shift close --counted AMOUNT` before another begins."
        case .noneOpen: "No shift is open; open one with `pos shift open --float AMOUNT`."
        case .unknown(let id): "This terminal has no shift \(id); `pos shift list` shows them."
        case .amountInvalid(let field, let range):
            "`\(field)` is from \(range.lowerBound) to \(range.upperBound) in minor units; "
                + "nothing was recorded."
        case .unknownTender(let method, let known):
            "`\(method.prefix(64))` is no other tender of this shift, or is counted twice; count "
                + "\(known.joined(separator: ", ")), each once. Nothing was recorded."
        case .amountMissing: "Name an amount above 0 in minor units; nothing was recorded."
        case .reasonMissing: "Say why (--reason TEXT); nothing was recorded."
        case .textTooLong(let field, let limit): "`\(field)` is longer than \(limit) bytes; shorten it."
        case .currencyUnknown:
            "The catalogue is empty, so the currency is not known; pull it with `pos sync now`."
        case .cartHasMoney(let money, let cart):
            "\(money) were taken for a cart that is not sold (\(cart)); sell it, or hand the money back and drop "
                + "it: `pos cart current` lists such carts. The shift stays open."
        case .countDiffers(let amount):
            (amount.map { "The count differs by \($0)" } ?? "The count is not what is expected")
                + "; count again, then confirm it (--confirmed). The shift stays open."
        case .drawerShort(let has):
            (has.map { "The drawer should have \($0)" } ?? "The drawer should have less")
                + "; check the amount, or confirm it (--confirmed). Nothing was recorded."
        case .authority(let refusal): refusal.english
        case .diskFull(let path): "The disk of \(path) is full, nothing was recorded; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was recorded: \(detail)."
        case .notEnrolled: EnglishRefusalTexts.notEnrolled
        }
    }
}

extension CartRefusal {
    fileprivate var english: String {
        switch self {
        case .unknownCart(let id):
            "There is no parked cart \(id); it was sold or dropped, or look it up with `pos cart list`."
        case .tooManyCarts(let limit):
            "\(limit) carts are parked, and more are not kept; drop one with `pos cart drop ID --reason TEXT`."
        case .textTooLong(let field, let limit): "\(field) has more than \(limit) bytes; shorten it."
        case .inUse(let frontEnd):
            "The cart is on the screen of \(frontEnd?.name ?? "another counter"); nothing was changed. Park it "
                + "there (F8), or end that window, then take it."
        case .hasMoney(let money, _):
            "\(money) were taken for the cart; hand them back, then drop it (--handed-back)."
        case .alreadySold(let number, _, let time):
            "The cart was sold already: \(number)\(time.isEmpty ? "" : " at " + time). Nothing is to be paid."
        case .cardUnknown(let detail):
            "A card may be charged for the cart (\(detail)), so it is kept; try again when the payment service "
                + "or the card machine answers."
        case .amountMissing(let method):
            "What was taken by \(method.prefix(64)) needs an amount above 0 in minor units; nothing was changed."
        case .elsewhere(let obstacle, let id): obstacle.english(id)
        case .frontEndMissing:
            "Name the front end in `Pos-Front-End: <ULID of its start>;<name>`, at most 100 bytes."
        case .sale(let refusal): refusal.english
        case .diskFull(let path): "The disk of \(path) is full, nothing was parked; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was changed: \(detail)."
        case .notEnrolled: EnglishRefusalTexts.notEnrolled
        }
    }
}
