internal import AgentAPI
internal import Base
internal import HubProtocol

/// What the commands print.
struct EnglishPosTexts: PosTexts {
    func word(_ word: String) -> String { word }
    let language = Language.english

    func cartDropped(_ id: String) -> String { "the cart \(id) is dropped" }
    func member(_ name: String) -> String { "member \(name)" }
    func unknownMember(_ name: String) -> String { "member \(name) (unknown, noted as typed)" }
    func quoted(total: String, tax: String) -> String { "total \(total), tax included \(tax)" }
    func cashRounding(_ money: String) -> String { "cash rounding \(money)" }
    func quoteHolds(until moment: String) -> String { "holds until \(moment), when an offer begins or ends" }
    var couponUnchecked: String { "a coupon cannot be checked here; the hub checks it with the sale" }
    var quoteChanged: String { "the total is another one than was quoted; inform the customer" }
    var saleNeedsApprover: String { "the sale needs an approver (--approver)" }
    var clocksDiffer: String {
        "the clocks of till and hub differ; set the clock, or sell with --clock-confirmed"
    }
    var noParkedCarts: String { "no parked carts" }
    func taken(_ money: String, by method: String) -> String { "taken \(money) \(method)" }
    var noCarts: String { "no carts" }
    var noArticles: String { "no article contains that" }
    var noDepartments: String { "the catalogue has no departments" }
    func parked(_ at: String) -> String { "parked \(at)" }
    func resumed(_ at: String) -> String { "resumed \(at)" }
    func ofTill(_ number: Int64?, isSilent: Bool) -> String {
        "at till \(number.map(String.init) ?? "?")" + (isSilent ? ", which does not respond" : "")
    }
    func memberRecorded(_ member: String, id: String) -> String {
        "the member \(member) is recorded; sell with --member \(id)"
    }
    func memberKnown(_ member: String, id: String) -> String {
        "the number is the member's \(member); nothing was recorded; sell with --member \(id)"
    }
    func noteDeleted(_ id: String) -> String { "the note \(id) is deleted" }
    var noNotes: String { "no notes" }
    func manualOffline(since moment: String?) -> String {
        "offline by hand since \(moment ?? "now"); `pos offline off` ends it"
    }
    var manualOff: String { "the manual switch is off" }
    var testPagePrinted: String { "the test page is printed" }
    func acknowledged(_ loss: String) -> String { "acknowledged: \(loss)" }
    var nothingToAcknowledge: String { "there was nothing to acknowledge" }
    func shiftOpened(_ id: String, float: String) -> String { "the shift \(id) is open with \(float)" }
    func difference(_ money: String) -> String { "difference \(money)" }
    func opened(_ at: String) -> String { "opened \(at)" }
    func closed(_ at: String) -> String { "closed \(at)" }
    func debts(_ money: String) -> String { "debts \(money)" }
    var noShifts: String { "no shifts yet" }
    func paidIn(_ money: String) -> String { "\(money) put into the drawer" }
    func paidOut(_ money: String) -> String { "\(money) taken out of the drawer" }
    func toSafe(_ money: String) -> String { "\(money) taken to the safe" }
    var drawerOpened: String { "the drawer is opened without a sale" }
    func verified(_ statement: ShiftStatement) -> String {
        "signed by the hub's key \(statement.keyId): shift \(statement.shiftId), \(statement.sold) entries, \(statement.received) received, gap \(statement.gap)"
    }
    var nobodySignedIn: String { "nobody is signed in" }
    func givenUp(_ id: String, reported: String) -> String {
        "\(id) is given up; \(reported) reports it to the hub"
    }
    func sentAgain(_ id: String, as new: String) -> String { "\(id) goes again as \(new)" }
    func thisTerminal(_ state: String) -> String { "this terminal: \(state)" }
    var noAnswer: String { "no answer" }
    var noServices: String { "no services known" }
    var untilNow: String { "still" }
    var neverOffline: String { "never offline so far" }
    var checkPassed: String { "ok  " }
    var checkWarned: String { "warn" }
    var checkFailed: String { "FAIL" }
    var noOrders: String { "no orders yet" }
    var noOrderMatches: String { "no order of this terminal matches" }
    func refundedLine(_ quantity: String, name: String) -> String { "\(quantity) of \(name)" }
    func note(_ text: String) -> String { "note: \(text)" }
    var paysCashForCard: String {
        "note: the sale was paid by card or voucher in part or whole; this gives cash from the drawer"
    }
    func unseenTills(_ count: Int) -> String {
        "note: \(count) \(count == 1 ? "till" : "tills") of the store could not be reached; the hub compares later"
    }
    var nothingOwed: String { "nothing is owed to cards" }
    var nothingGranted: String { "no other till may give anything back of this till's sales" }
    func tillName(_ name: String) -> String { "till \(name)" }
    func silent(seconds: Int64) -> String { "silent for \(seconds) s" }
    func tookBack(_ money: String, order: String) -> String {
        "\(money) of \(order) can be given back here again: `pos orders refund \(order)`"
    }
    func repaid(_ money: String, reason: String) -> String { "hand back \(money) in cash; \(reason)" }
    func customerPays(_ money: String) -> String { "the customer pays \(money)" }
    func handBack(_ money: String) -> String { "hand back \(money) in cash" }
    func tenderVoided(_ money: String, method: String) -> String {
        "the \(money) by \(method) are voided, no cash for them"
    }
    func orderVoided(_ number: String) -> String { "order \(number) is void" }
    var semicolon: String { "; " }
    var unreadable: String { "cannot be read" }
    func pending(_ count: Int64) -> String { "\(count) pending" }
    func oldest(seconds: Int64) -> String { "the oldest \(seconds) s old" }
    func refusedCounts(rejected: Int64, conflicted: Int64, through: Int64) -> String {
        "\(rejected) rejected, \(conflicted) in conflict, hub has all through \(through)"
    }
    func hubWait(until moment: String) -> String { "the hub asked to wait until \(moment)" }
    var comma: String { ", " }
    func attempts(_ count: Int64) -> String { "\(count) attempts" }
    func waitsForAttachments(_ count: Int) -> String { "waits for \(count) attachments" }
    func lastPull(age: String) -> String { "the last good pull of the catalogue is \(age) old" }
    var noPull: String { "the last good pull of the catalogue is still to come" }
    func newestPullFailed(_ problem: String) -> String { "the newest one failed: \(problem)" }
    func rowsSkipped(_ count: Int) -> String { "\(count) rows passed over (`pos doctor` names them)" }
    var versionRefused: String {
        "stopped: the hub wants a newer version of this terminal; everything is kept"
    }
    func versionRetires(on date: Substring) -> String {
        "warning: the hub answers this version until \(date); update before then"
    }
    func heldBy(_ state: String, _ holds: String) -> String { "\(state) by \(holds)" }
    var heldBack: String { "held back" }
    var heldBackMeans: String {
        "its content is not what was written; `pos sync retry` sends it as it is, and the hub flags it"
    }
    var nothingRefused: String { "nothing was refused" }
    var neighboursOff: String {
        "the tills of this store do not see each other; on at the hub: `pos-hub store-config set --store-id ID "
            + "neighbours.enabled=on`"
    }
    func listening(_ addresses: String) -> String { "this till listens at \(addresses)" }
    func notListening(_ detail: String) -> String { "cannot listen at \(detail); tried again every 60 s" }
    func strangers(_ count: Int64) -> String {
        "\(count == 1 ? "1 connection" : "\(count) connections") ended with the handshake"
    }
    var diskIsOld: String {
        "another till has seen entries of this till's journal that its disk does not have: `pos doctor`"
    }
    var noOtherTills: String { "the store has no other till" }
    func notConfirmed(since moment: String) -> String {
        "the hub has not confirmed the other tills since \(moment); one of them may have been revoked"
    }
    func otherTills(_ reachable: Int, of all: Int) -> String {
        "\(reachable) of \(all) other tills are reachable"
    }
    func till(_ till: NeighboursCall.Till) -> String {
        let name = till.number.map { "till \($0)" } ?? till.terminalId
        let called = till.name.map { " (\($0))" } ?? ""
        let heard = till.heardAt.map { "last heard \($0)" } ?? "not heard yet"
        let state =
            switch till.state {
            case .reachable: till.mode ?? "reachable"
            case .silent: "not heard since"
            case .unknown: "unknown"
            }
        let waiting = till.pending.map { $0 == 0 ? "" : ", \($0) wait for the hub" } ?? ""
        let theirs = till.keepsForUs > 0 ? ", has \(till.keepsForUs) of this till's" : ""
        let ours = till.weKeep > 0 ? ", \(till.weKeep) of its are here" : ""
        let address = till.address.map { ", \($0)" } ?? ""
        return "\(name)\(called): \(state), \(heard)\(waiting)\(theirs)\(ours)\(address)"
    }
    func tried(_ result: TryNeighbourCall.Response) -> String {
        let steps = result.steps.map { "\($0.rawValue): ok" }
        let name = result.number.map { "till \($0)" } ?? result.terminalId ?? "nobody known"
        guard let failedAt = result.failedAt else {
            return (steps + ["\(result.address) is \(name), version \(result.version ?? "-")"]).joined(
                separator: "\n")
        }
        let why =
            switch result.reason {
            case "not_connected": "nobody accepts a connection there; is the till on, and the port open?"
            case "timed_out": "no response came in time; the access point may isolate its clients"
            case "no_till": "whoever is there does not speak as a till does"
            case "other_store":
                "\(name) is no till of this store, or its key did not come yet: `pos sync now`"
            case "not_taken": "the other till does not take this till's key; run `pos sync now` there"
            default: "its hello cannot be read; are the versions equal?"
            }
        return (steps + ["\(failedAt.rawValue): \(why)"]).joined(separator: "\n")
    }
    var noCardMachine: String { "no card machine is configured; set cardMachine.address in terminal.json" }
    func foreignBooking(_ receipt: Int64) -> String {
        "the machine's last booking, \(receipt), is not one of this till: somebody else used the machine"
    }
    func decideCard(_ key: String) -> String { "decide it with the machine's paper: pos card decide \(key)" }
    func notConfirmed(_ key: String, purpose: String, verdict isDone: Bool, _ money: String) -> String {
        "  a person decided, not confirmed: \(purpose) \(money) \(isDone ? "done" : "not done"), \(key)"
    }
    var noBooking: String { "the machine has no booking" }
    func machineClosed(_ machine: String?, till: String, difference: String?) -> String {
        guard let machine else { return "the machine's day is closed; it said no sum, this till has \(till)" }
        let end = difference.map {
            "they differ by \($0): compare the machine's paper with `pos orders list`"
        }
        return "the machine's day is closed: \(machine); this till: \(till); \(end ?? "they agree")"
    }
    func machineClosedTwice(_ machine: String, till: String) -> String {
        "the machine's day is closed: \(machine); the one before was lost, so this till's \(till) is of two "
            + "periods and not compared: add up the machine's papers"
    }
    func cardDecided(_ key: String, _ state: String) -> String { "\(key) is \(state)" }
    var noPrinter: String { "no printer is configured; set printer.device in terminal.json" }
    func damagedFiles(_ count: Int64) -> String { "; \(count) damaged files in the spool" }
    var copy: String { "copy" }
    var nothingToPrint: String { "nothing waits" }
    func printing(_ job: String) -> String { "printing \(job)" }
    func decides(_ state: String, in time: String) -> String { "\(state), decides in \(time)" }
    func entriesHeldBack(_ count: Int64) -> String {
        "\(count) entries, not sent: their content is not what was written"
    }
    func cardDebts(_ count: Int64) -> String {
        "\(count) cards refused after their sales: `pos doctor` names the orders"
    }
    func leapt(over number: String) -> String { "leapt over \(number), which cannot be this terminal's" }
    func hub(_ url: String, terminal: String) -> String { "\(url), terminal \(terminal)" }
    func cardsWaiting(_ count: Int64) -> String {
        "goes back to the card when the machine can be reached: \(count)"
    }
    func cardsWaitingForCard(_ count: Int64) -> String {
        "goes back when the customer presents the card: \(count), see `pos orders owed`"
    }
    func cardsRequested(_ count: Int64) -> String {
        "requested of the card machine, confirm by its report: \(count), see `pos card status`"
    }
    func cardsRefused(_ count: Int64) -> String {
        "refused by the card machine, owed to customers: \(count), see `pos orders owed`"
    }
    func coreState(_ state: String, by source: String) -> String { "\(state) (core), by \(source)" }
    func state(_ state: String, by source: String) -> String { "\(state), by \(source)" }
    func withApproval(_ way: String) -> String { "\(way), with an approval" }
    func standby(_ path: String) -> String { "standby \(path)" }
    var metered: String { "metered" }
    var constrained: String { "constrained" }
    func quality(p50: Int64, p95: Int64, failures: Int64, samples: Int64) -> String {
        "p50 \(p50) ms, p95 \(p95) ms, \(failures) of \(samples) failed"
    }
    func hubReached(_ at: String) -> String { "hub last reached \(at)" }
    var outbox: String { "outbox" }
    var changes: String { "changes" }
    var wholeCatalogue: String { "whole catalogue" }
    var attachments: String { "attachments" }
    var telemetry: String { "telemetry" }
    func pausedSync(_ name: String, by held: String) -> String { "no \(name) (\(held))" }
    func smallBatches(_ line: String) -> String { "\(line), in small batches" }
    func minorUnits(_ amount: Int64) -> String { "\(amount) minor units" }
    func upTo(_ amount: String) -> String { ", up to \(amount)" }
    var aSignIn: String { "a sign-in" }
    var anApproval: String { "an approval" }
    var voucherNumber: String { "the voucher's number" }
    var and: String { " and " }
    func needs(_ list: String) -> String { ", needs \(list)" }

    func label(_ row: StatusRow) -> String {
        switch row {
        case .since: "since"
        case .network: "network"
        case .service: "service"
        case .can: "can"
        case .pay: "pay"
        case .points: "points"
        case .line: "line"
        case .sync: "sync"
        case .outbox: "outbox"
        case .pull: "pull"
        case .store: "store"
        case .held: "held"
        case .debts: "debts"
        case .cards: "cards"
        case .numbers: "numbers"
        case .version: "version"
        case .hub: "hub"
        }
    }

    func text(_ limit: CapabilityLimit) -> String { limit.rawValue }

    func inStock(_ quantity: String, countedAt: String?) -> String {
        "\(quantity) left" + (countedAt.map { ", counted by the hub \($0)" } ?? "")
    }
    func signedIn(_ cashier: SessionResponse.Cashier) -> String {
        "\(cashier.name) (\(cashier.id), \(role(cashier.role))) is signed in until \(cashier.expiresAt)"
    }
    func saleCount(_ count: Int64) -> String { count == 1 ? "1 sale" : "\(count) sales" }
    func doctorSummary(score: Int64, failed: Int, of checks: Int) -> String {
        let summary = failed == 0 ? "ready for an outage" : "\(failed) of \(checks) checks need somebody"
        return "score \(score) of 100: \(summary)"
    }

    func refunded(_ refund: RefundRecord) -> String {
        guard !refund.isOfExchange else {
            return "exchanged, worth \(refund.paid.text), at \(refund.madeAt) (\(refund.sync))"
        }
        let inCash = refund.paidInCash == refund.paid ? " in cash" : ""
        return "refunded \(refund.paid.text)\(inCash) at \(refund.madeAt) (\(refund.sync))"
    }
    func returnedElsewhere(_ refund: ReceiptSale.Refund, _ money: String) -> String {
        let till = refund.place?.terminalNumber.map { " at till \($0)" } ?? ""
        let store = refund.place.map { " of store \($0.storeId), \($0.at)" } ?? ""
        return "\(refund.isVoid ? "voided" : "refunded") \(money)\(till)\(store)"
    }
    func back(_ card: CardReturnRecord) -> String {
        let money = "\(card.amount.text) (\(card.method))"
        switch card.state {
        case .returned: return "\(money) is back on the card"
        case .requested:
            return "\(money) was requested of the card machine; confirm it by its report: `pos card status`"
        case .refused:
            return "the card machine refused \(money) (\(card.reason ?? "")): pay it in cash with "
                + "`pos orders repay \(card.refundId)`"
        case .paidInCash: return "\(money) was paid in cash instead"
        case .waiting where card.needsCard:
            return "\(money) goes back when the customer presents the card: "
                + "`pos orders repay \(card.refundId) --card`, in cash without `--card`"
        case .waiting: return "\(money) goes back to the card when the machine can be reached"
        }
    }
    func attachment(_ name: String, bytes: Int64, received: Int64?) -> String {
        "attachment \(name)  \(bytes) bytes" + (received.map { ", \($0) there" } ?? "")
    }
    func salesWait(_ count: Int64, worth sums: String) -> String {
        "\(count == 1 ? "1 sale waits" : "\(count) sales wait") in it: \(sums)"
    }

    func ready(_ result: EnrolmentResult) -> String {
        "terminal \(result.terminalNumber) of store \(result.storeId) is ready, \(result.products) "
            + "products; start it with `pos agent`"
    }
    var drillBegins: String { "the drill cuts this till off the hub for up to two minutes …" }
    var agentEnded: String { "the agent ended; start it with `pos agent`" }
    var outputLost: String { "the output could not be written; what the command did is done" }
    func noTerminal(for person: String) -> String {
        "there is no terminal to ask for the PIN of \(person) on; give it with --pin-stdin "
            + "or --approver-pin-stdin"
    }
    var noPINEntered: String { "no PIN was entered" }
    var plainNeedsReason: String { "--plain and --reason TEXT belong together" }

    func exported(_ export: ExportCall.Response, plain: Bool) -> String {
        let lost = export.lostAttachments.count
        return "\(export.entries) entries in \(export.file), \(export.pending) of them not acknowledged yet, "
            + "\(export.attachments) attachments" + (lost > 0 ? " (\(lost) cannot be read)" : "")
            + (plain ? ", not encrypted" : "")
            + (export.isSigned ? "" : ", not signed: the device key is gone")
            + "; `pos-hub ingest` accepts them"
    }
    var databaseWhole: String { "the database is whole; nothing was changed" }
    func broughtOver(_ report: RepairReport) -> String {
        "\(report.entries) entries were brought over, \(report.pending) of them wait to be sent, "
            + "\(report.refused) were refused by the hub"
    }
    func kept(_ path: String) -> String { "kept      \(path)" }
    func lost(_ entry: RepairReport.LostEntry) -> String {
        "lost      \(entry.sequence)  \(entry.orderNumber ?? entry.id ?? "entry"): \(entry.reason), "
            + (entry.isAtHub ? "the hub has it" : "the hub may not have it")
    }
    func lostMore(_ count: Int64) -> String { "lost      and \(count) more" }
    var lostNothing: String { "lost      nothing that is known of" }
    var lostEndUnknown: String {
        "lost      entries behind the last one cannot be ruled out; compare with the hub"
    }
    func goesOn(epoch: Int64) -> String { "The journal goes on under epoch \(epoch); start the agent." }
    var identityLost: String {
        "Who this terminal is could not be read; run `pos init --hub URL --enrol CODE` on this data "
            + "folder, and what was brought over is sent under the new identity."
    }
}

/// The checkout in lines.
extension EnglishPosTexts {
    func decides(in seconds: Int64) -> String { "the hub does not answer, decides in \(seconds) s" }
    func backOnline(in seconds: Int64) -> String { "back in \(seconds) s at the earliest" }
    func worksOutside(_ command: String) -> String {
        "`pos \(command)` works outside the checkout; q leaves it"
    }
    var firstLine: String { "barcode, or ? for help" }
    var signInFirst: String { "nobody is signed in: s ID" }
    func basketKept(_ basket: String) -> String { "basket kept: \(basket); the next `pos sell` offers it" }
    func leaveAgain(_ basket: String) -> String { "the basket holds \(basket); again to leave, it is kept" }
    func waiting(for what: String, seconds: Int) -> String {
        "waiting for \(what) · \(seconds) s · Control-C gives it up"
    }
    var nothingScanned: String { "nothing scanned yet" }
    func withQuantityHelp(_ message: String) -> String {
        "\(message) A quantity is BARCODE:2 or BARCODE:0.357."
    }
    func noLine(_ number: String) -> String { "there is no line \(number); total shows them" }
    func takenOff(_ line: String) -> String { "taken off: \(line)" }
    var cardResult: String { "the card" }
    var saleResult: String { "the sale" }
    func orderMissing(after word: String) -> String { "\(word) NUMBER, of the order" }
    var approverMissing: String { "a ID, of a manager" }
    func pin(of id: String) -> String { "PIN of \(id): " }
    var help: String {
        """
        scan or type a barcode; BARCODE:QTY or QTY*BARCODE for more than one; scan CODE for a code that is a word
        total      the lines so far, with the total
        *QTY       changes the quantity of the last line
        x [N]      takes the last line off, or line N
        d AMOUNT [N]  discount on the last line or line N: minor units (150), an amount as on the receipt, or 10%; 0 takes it back
        da AMOUNT  discount on everything, in the same forms
        m ID       member, by id or telephone number; alone: nobody
        points N   points of the member that pay a part; 0 takes them back; alone: how many there are
        c CODE     coupon; alone: takes the last one away
        pay [METHOD[:AMOUNT[:NUMBER]]]…   cash, card, …, with a voucher's number; alone: exact cash, or the rest; several split it
        tenders    how each tender goes now
        pay back   hands back what was tendered so far
        carts [ID] parked carts, those of other tills too; with an id takes one up
        s ID       signs a cashier in, s alone signs out; the PIN is asked for
        a ID       who approves the next payment or switch; the PIN is asked for
        void last [REASON]   voids the last sale of this till
        void NUMBER [REASON] · seen NUMBER   for a sale whose answer nobody saw
        offline [REASON] · online    the manual switch
        clock      sells although the clocks of till and head office differ
        retry      tries head office again now
        q          leaves; twice with a basket
        """
    }

    func largeChange(_ money: String) -> String {
        "the change would be \(money); check the cash, then pay the same again"
    }
    var signInRequired: String { "sign in first: s ID" }
    var pinMissing: String { "the PIN is missing: s ID or a ID asks for it" }
    var totalChanged: String { "the total has changed; look at it, then pay again" }
    var agentGone: String {
        "the till's service has stopped; waiting for it, the basket is kept (Control-C leaves)"
    }
    var agentBack: String { "the till's service is back, the basket is as it was" }
    func coupons(_ list: String) -> String { "coupons \(list)" }
    func unknownMemberNoted(_ id: String) -> String { "member \(id): nobody knows them, noted as typed" }
    func stillDue(_ money: String) -> String { " · \(money) still due" }
    func taken(_ taken: String, due left: String) -> String {
        "\(taken) taken, \(left) still due: pay cash, pay card, or pay back"
    }
    func unseen(_ number: String, total: String) -> String {
        "a card paid \(total) for \(number), and its answer was not seen: `seen \(number)` or `void \(number)`"
    }
    var basketFirst: String { "the basket is not empty: pay it first, or leave it with q" }
    var isExchange: String { "it is an exchange: take it at the counter (`pos sell`); it is kept" }
    func cartLeft(_ offer: String) -> String {
        "a window left a cart: \(offer) Enter takes it, anything else leaves it"
    }
    func basket(lines: String, money: String) -> String { "\(lines), \(money)" }
    func quantityForm(_ typed: String) -> String { "a quantity is *2 or *0.357, not \"*\(typed)\"" }
    var discountForm: String {
        "a discount is d 150, d and an amount as on the receipt, or d 10%, of the whole line"
    }
    var discountOfAllForm: String {
        "a discount on everything is da 150, da and an amount as on the receipt, or da 10%"
    }
    var pointsForm: String { "points are a whole number: points 500" }
    func paymentForm(_ word: String) -> String {
        "a payment is cash, card, cash:AMOUNT or gift:AMOUNT:NUMBER, not \"\(word)\""
    }

    func total(_ total: String, tax: String, inCash: String?) -> String {
        "total \(total), of it tax \(tax)" + (inCash.map { ", in cash \($0)" } ?? "")
    }
    var clockDiffers: String { " To confirm it, type clock, then pay again." }
    var voucherUsed: String { " To confirm it, type voucher, then pay again." }
    func unknownBarcode(_ message: String) -> String {
        message.replacing("`pos sync now`", with: "`retry`")
            + " CODE@PRICE#DEPARTMENT sells it by department."
    }
    func soldByMeasure(_ article: String?) -> String {
        "\(article ?? "it") is sold by weight or measure: type 0.357*CODE"
    }
    func withoutPrice(_ article: String?) -> String {
        "\(article ?? "it") has no fixed price: type CODE@PRICE, the price in minor units"
    }
    func needsApproval(_ action: String) -> String {
        "a manager has to approve it: a ID, then again (\(action))"
    }

    func programMissing(_ name: String, for command: String, at path: String, _ error: String) -> String {
        "`pos \(command)` needs \(path), which cannot be started (\(error)); install \(name) of the same version beside pos, or build it with `swift build --product \(name)`"
    }
    func outputUnwritable(_ path: String) -> String {
        "\(path) cannot be written; name a file in a folder that this user may write to"
    }
    func fileUnreadable(_ path: String) -> String { "\(path) cannot be read" }
    func noJSON(_ path: String) -> String { "\(path) is not JSON" }
    func syncIncomplete(_ reason: String?, retryHelps: Bool) -> String {
        "\(reason ?? "the hub did not take everything"); what is left is kept and sent by itself"
            + (retryHelps ? ", `pos sync now` tries again" : "")
    }
    func pinLineMissing(of secret: PINEntry.Secret) -> String {
        "standard input has no line for \(name(secret))"
    }
    func tooFewDescriptors(_ limit: UInt, needed: UInt) -> String {
        "this process may open \(limit) files and needs \(needed); raise the limit (`ulimit -n`, LimitNOFILE)"
    }
    func internalError(_ detail: String) -> String { "\(detail)" }
    var cardNumberArgument: String {
        "an argument contains what looks like a card number, which is never entered here; nothing was done"
    }
    func wrongUsage(_ detail: String) -> String { "\(detail)" }
    func wrongUsageHelp(_ detail: String) -> String { "\(detail); see `pos --help` and `pos COMMAND --help`" }
    func loopFailed(_ call: String, error: Int32) -> String {
        "\(call) failed with error \(error); try again"
    }
    var receiptMalformed: String { "the agent's receipt is not base64; restart the agent" }
    func fileUnwritable(_ path: String, _ detail: String) -> String { "\(path) cannot be written: \(detail)" }
    var inputEnded: String { "the input has ended" }
    func malformedLine(_ detail: String) -> String { "\(detail)" }
    func notSold(_ detail: String) -> String { "\(detail); the line was not sold" }

    private func name(_ secret: PINEntry.Secret) -> String {
        switch secret {
        case .cashier: "the cashier"
        case .approver: "the approver"
        case .pin: "the PIN"
        case .enrolmentCode: "the enrolment code"
        }
    }
}
