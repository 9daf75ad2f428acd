internal import AgentAPI
internal import Base
internal import CurlHTTP
internal import CurlTransport
internal import HubProtocol
internal import LinuxNetwork
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

struct EnglishDoctorTexts: DoctorTexts {
    func articles(_ count: Int) -> String {
        count > 0
            ? "\(count) articles on this disk" : "no articles; import some at the hub, then `pos sync now`"
    }
    var importArticles: String { "`pos-hub import products FILE.csv` at the hub, then `pos sync now`" }
    func noPull(_ problem: String?) -> String { "no pull was good yet\(problem.map { ": \($0)" } ?? "")" }
    func pulled(_ milliseconds: Int64) -> String { "the last good one is \(age(milliseconds)) old" }
    func pullFailed(_ problem: String) -> String { ", the newest one failed: \(problem)" }
    func passedOver(_ count: Int, last names: String) -> String {
        "; \(count) rows of the hub were passed over, the last: \(names)"
    }
    var pullAgain: String { "`pos sync now`; rows that were passed over have to be corrected at the hub" }
    var numbersFine: String { "every number that came from outside was believable" }
    func text(_ leap: OrderNumberLeap) -> String { leap.message }
    var compareNumbers: String {
        "compare the numbers with the hub's (`pos-hub audit`); the finding ends a day after the leap"
    }
    var storeFine: String { "every page and every link of the journal is intact" }
    var repair: String { "end the agent, then `pos repair`" }
    func unusable(_ message: String) -> String { message }
    func text(_ loss: JournalLoss) -> String {
        (loss.hadLog
            ? "the database is older than the numbers that were given out"
            : "the database's write-ahead log was missing")
            + ": numbers up to \(loss.reserved) were reserved and it ends at \(loss.found); sales in between "
            + "may be lost, compare the receipts with the hub (`pos-hub audit`)"
    }
    func text(_ repair: RepairReport) -> String {
        "the repair of \(repair.at) lost \(repair.lostCount) entries; compare the receipts with the hub "
            + "(`pos-hub audit`)"
    }
    func repaired(_ report: RepairReport) -> String {
        "\(report.at): \(report.entries) entries were brought over, \(report.lostCount) were lost"
    }
    var compareReceipts: String {
        "compare the receipts with `pos-hub audit`, then `\(StoreCondition.seenCommand)`"
    }
    func text(_ absence: HubAbsence) -> String {
        var parts: [String] = []
        if !absence.missing.isEmpty {
            let first = absence.missing.prefix(5).map(String.init).joined(separator: ", ")
            let more = absence.missing.count > 5 ? ", …" : ""
            parts.append("\(absence.missing.count) entries (\(first)\(more)), which this disk lacks too")
        }
        parts += absence.heads.map {
            "entry \($0.sequence) of epoch \($0.epoch) and what led to it, which the hub had once"
        }
        return "the hub lacks " + parts.joined(separator: "; ")
    }
    var ingest: String {
        "`pos-hub ingest` of an export of the data folder that had them; else keep the receipts and "
            + "compare them with `pos-hub audit`"
    }
    func heldBack(_ count: Int) -> String {
        "\(count) entries are not what was written and are not sent; `pos sync rejected` lists them, `pos "
            + "sync retry ID` sends one as it is and the hub flags it"
    }
    var sendHeldBack: String { "`pos sync rejected`, then `pos sync retry ID` for each" }
    func outbox(_ depth: OutboxDepth, hours: Int64) -> String {
        "\(depth.pending) pending, the oldest \(hours) h old, \(depth.rejected) rejected, "
            + "\(depth.conflicted) in conflict"
    }
    var outboxUnreadable: String { "cannot be read" }
    var resolveOutbox: String { "`pos sync rejected`, then retry, edit, discard or resolve each" }
    func disk(free mebibytes: Int64, hasRoom: Bool) -> String {
        hasRoom
            ? "\(mebibytes) MiB free; sales stop when the disk is full"
            : "\(mebibytes) MiB free: the disk is full and nothing can be sold; free some space"
    }
    var freeSpace: String {
        "free some space on the disk of the data folder; `pos sync export FILE` copies the journal elsewhere"
    }
    func left(sales: Int64, carts: Int, of limit: Int) -> String {
        "left: about \(sales) sales on this disk, \(carts) of \(limit) parked carts"
    }
    var dropCarts: String { "`pos cart list`, then `pos cart drop ID --reason TEXT`" }
    var diskNotMeasured: String { "not measured: it takes three sales of one run" }
    func diskSpeed(_ milliseconds: Int64, isSlow: Bool) -> String {
        "19 of the last 20 sales were on the disk within \(milliseconds) "
            + "ms" + (isSlow ? ": it is slow, and every sale waits for it" : "")
    }
    var speedUpDisk: String {
        "end what else writes to this disk (backups, logs), then replace it; `smartctl -a` shows its faults"
    }
    func folder(_ path: String, isOpen: Bool) -> String {
        isOpen
            ? "others may enter \(path), where token and device key lie; the agent's next start "
                + "closes it, or `chmod 700`" : "closed to other users"
    }
    func manualSwitch(_ reason: String?) -> String { "on: \(reason ?? "no reason given")" }
    var manualSwitchOff: String { "off" }

    func encrypted(_ url: String) -> String { "\(url): nobody on the way can read or change sales" }
    func plain(_ url: String) -> String {
        "\(url) is not encrypted (hub.allowInsecure): everyone on the way can read and change sales"
    }
    var encrypt: String { "serve the hub with --tls-certificate and --tls-key, and set hub.url to https" }
    var notPinging: String { "not used: the hub is on this machine" }
    func text(_ permission: ICMPPermission) -> String { "\(permission)" }
    var permitPing: String {
        "`sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`, or CAP_NET_RAW for pos"
    }
    func text(_ comparison: ClockComparison) -> String {
        switch comparison {
        case .unknown: return "the hub has not said its time yet"
        case .unconfirmed(let last):
            return "the hub last said \(Timestamp.text(milliseconds: last)): is this till's date right?"
        case .hubLeapt(let milliseconds):
            return "the hub's clock leapt by \(apart(milliseconds)): sales go on by its former time"
        case .compared(let ahead, _, let isHubsFault):
            let words = "\(apart(ahead)) \(ahead < 0 ? "ahead of" : "behind") the hub's"
            guard comparison.difference != nil else { return words }
            let isRefused = comparison.refusedDifference != nil
            let rest = isRefused ? "set it, sales are refused" : "sales go by the hub's"
            return "\(words): \(isHubsFault ? "the hub's leapt; " : "")\(rest)"
        }
    }

    private func age(_ milliseconds: Int64) -> String { Language.english.age(milliseconds: milliseconds) }

    /// How far two clocks are apart.
    private func apart(_ difference: Int64) -> String {
        age(Int64(clamping: ClockComparison.rounded(difference).magnitude))
    }

    var setClock: String { "set the clock, `timedatectl set-ntp true` keeps it" }
    var setHubClock: String {
        "set the hub's clock; where it is right, set this till's, and the till follows"
    }
    var noTimeZone: String { "UTC, since \(TerminalConfiguration.timeZoneWarning)" }
    func version(_ word: SchemaMessage, _ version: String) -> String {
        switch word {
        case .welcome: "\(version); the hub has nothing against it"
        case .retiring(let notice):
            "warning: the hub answers \(version) until "
                + "\(Timestamp.text(milliseconds: notice.sunsetAt).prefix(10)); update before then"
        case .refused: "the hub answers \(version) no more; update, sales are kept until then"
        }
    }
    var update: String { "install a newer `pos` and start the agent again; pending sales stay" }
    func token(left: Int64?) -> String {
        guard let left else { return "the end of the device token is not known" }
        let days = abs(left) / 86_400_000
        return left < 0 ? "ended \(days) days ago; sales go on, nothing is sent" : "\(days) days left"
    }
    var renewToken: String { "`pos sync now` renews it; after 400 days `pos init --hub URL --enrol CODE`" }
    func refused(_ fault: CertificateFault, end: String?) -> String {
        let what =
            switch fault {
            case .outOfValidity: "has ended or has not begun, or the clock of this machine is wrong"
            case .otherName: "is made out to another name"
            case .foreign: "is from an authority that this till does not trust"
            }
        return "the hub's certificate \(what)\(lastSeen(end)); new connections to it fail"
    }

    private func lastSeen(_ end: String?) -> String { end.map { ", as last seen it ends at \($0)" } ?? "" }
    func handshakeFailed(_ detail: String, end: String?) -> String {
        "the TLS handshake with the hub fails: \(detail)\(lastSeen(end))"
    }
    var certificateUnseen: String { "not seen yet: the hub does not respond" }
    func certificate(days left: Int64) -> String { "the hub's certificate has \(left) days left" }
    func certificateEnded(_ end: String) -> String { "the hub's certificate ended at \(end)" }
    var asLastSeen: String { ", as last seen; the hub does not respond now" }
    var renewCertificate: String {
        "renew it at the hub and start `pos-hub serve` with it; tills trust its issuer"
    }
    func standby(_ interface: String, for main: String?) -> String {
        "nothing comes back over \(main ?? "the main path"); the hub is reached over \(interface)"
    }
    func checkPath(_ main: String?) -> String {
        "check what is behind \(main ?? "the main path"): cable, switch, router; the till returns to it by "
            + "itself"
    }
    var noDecisions: String { "none in this run; without QoS a till decides by itself" }
    func decisions(_ milliseconds: Int64) -> String { "as of \(age(milliseconds)) ago" }
    func decisionClock(_ apart: Int64) -> String {
        "the clock of QoS is \(age(apart)) off the hub's; they are followed"
    }
    var setDecisionClock: String { "set the clock of the machine that qos.url names" }
    var checkDecisions: String { "`pos qos status`; is qos.url right?" }
    var enrol: String { "`pos init --hub URL --enrol CODE` with a code of `pos-hub enrol-code`" }
    func notSending(_ problem: String) -> String {
        "nothing that was recorded gets through, though the hub may answer other calls (\(problem)); it is "
            + "tried again by itself"
    }
    var checkWay: String {
        "look at what stands between this till and the hub (a proxy, a filter), then `pos sync now`"
    }
    func entries(_ count: Int, _ named: String) -> String {
        "\(count == 1 ? "1 entry does" : "\(count) entries do") not get through while others do (\(named))"
    }
    var resolveEntries: String {
        "`pos sync status`, then `pos sync edit ID` or `pos sync discard ID --reason TEXT`; each is tried "
            + "again by itself until then"
    }

    func unseenSales(_ count: Int, _ numbers: String) -> String {
        "\(count) were made while their till command ended unseen (\(numbers)); `pos sell` shows them, "
            + "`pos orders void` gives the money back"
    }
    var lookAtSales: String { "`pos sell --plain`, then `seen NUMBER` or `void NUMBER` for each" }
    var noReason: String { "no reason given" }
    func cardDebts(_ count: Int, owed: String, _ named: String) -> String {
        "\(count) cards that were taken offline were refused afterwards, \(owed) are owed (\(named))"
    }
    var settleDebts: String {
        "inform the manager: cash that a customer brings is `pos shift cash in AMOUNT --reason ORDER`; "
            + "then `pos-hub debts settle ID --reason TEXT` at the hub ends the finding"
    }
    func owedToCustomers(_ count: Int, _ named: String) -> String {
        "\(count) refused by the card machine and owed to customers (\(named))"
    }
    var repay: String { "`pos orders owed`, then `pos orders repay ID` for each gives the money in cash" }
    func waitingForMachine(_ count: Int, _ named: String) -> String {
        "\(count) to go back to the card when the machine can be reached (\(named))"
    }
    var noMachineKey: String {
        "messages to the card machine are not encrypted"
    }
    var setMachineKey: String { "set a shared key at the machine, and cardMachine.keyFile" }
    var standardPassword: String {
        "the card machine has the password of a new one"
    }
    var setMachinePassword: String { "set another one at the machine, and cardMachine.passwordFile" }
    func waitingForCards(_ count: Int, _ named: String) -> String {
        "\(count) to go back when the customer presents the card at the machine (\(named))"
    }
    var presentCards: String {
        "`pos orders owed` has the command for each, with the customer there or in cash"
    }
    func requestedOfMachine(_ count: Int, _ named: String) -> String {
        "\(count) requested of the card machine, which says no more (\(named))"
    }
    var confirmRequests: String {
        "look at the machine's report and decide each: `pos card status`, `pos card decide`"
    }
    func openAtFormerMachine(_ count: Int, _ named: String) -> String {
        "\(count) open at a card machine that is not configured any more (\(named))"
    }
    var decidePayments: String {
        "configure the machine again, or look at its paper and decide each: `pos card status`, `pos card decide`"
    }
    var checkMachine: String {
        "switch the card machine on and check cardMachine.address; it is tried every 15 s"
    }
    func text(_ route: TenderAbility.Route, refusal code: String) -> String {
        switch route {
        case .hub: "by the hub"
        case .machine: "by the till's own card machine"
        case .stored: "stored, forwarded later"
        case .local: "here"
        case .refused: "refused (\(code))"
        }
    }
    func upTo(_ limit: String) -> String { ", up to \(limit)" }
    var statusSaysWhy: String { "`pos status` has the reason" }
    var printing: String { "is printing" }
    var printerResponds: String { "responds" }
    var tillsNotSought: String { "an agent that runs sees them: `pos agent`" }
    var noOtherTills: String { "the hub names no other till of this store" }
    var noTillAddress: String { "no address of another till is known" }
    var nameTillAddress: String {
        "each till reports its own within ten minutes of a change; or set neighbours.addresses in terminal.json"
    }
    func tillsSeen(_ count: Int, of all: Int) -> String { "\(count) of \(all) are reachable" }
    var findTills: String {
        "`pos neighbours`; where the network is up and no till is found, the access point may isolate its clients: "
            + "use a cable or another network"
    }
    func notListening(_ detail: String) -> String {
        detail.isEmpty ? "the till listens nowhere: no private address is up" : "not listening at \(detail)"
    }
    var freePort: String { "free the port, or set neighbours.listen in terminal.json" }
    func tillsClock(_ number: Int64, milliseconds: Int64) -> String {
        "the clock of till \(number) is \(milliseconds.magnitude / 1_000) s "
            + (milliseconds > 0 ? "ahead" : "behind")
    }
    var setClocks: String { "set the clocks of both tills, by NTP" }
    var journalWasLonger: String {
        "another till has seen entries of this till's journal that its disk does not have: it runs from an old copy "
            + "of its disk, or twice"
    }
    var enrolAfterOldDisk: String {
        "stop the other copy; compare receipts with `pos-hub audit`; `pos init` gives this disk an epoch of its own"
    }
    func keysNotConfirmed(since moment: String) -> String {
        "the hub has not confirmed the other tills since \(moment); one of them may have been revoked"
    }
    var confirmKeys: String {
        "bring this till to the hub once, by a cable or a mobile stick: `pos sync now`"
    }
    func keptLong(_ tills: Int) -> String {
        "this till keeps sales of \(tills) other till\(tills == 1 ? "" : "s") that the hub has not had for a week"
    }
    var handInKept: String {
        "go online here: it hands them in; `pos-hub terminals show` says what waits for a person there"
    }
    var paperOut: String { "out of paper" }
    var paperLow: String { "the roll ends soon" }
    func papersWait(_ count: Int) -> String {
        "; \(count) papers wait for a person: `pos printer status`, `pos printer retry`"
    }
    var retryPrinter: String { "`pos printer status`, then `pos printer test` and `pos printer retry`" }

    var copyUnreadable: String { "the copy of people and offers cannot be read" }
    var noCopy: String { "no copy yet" }
    func copied(_ milliseconds: Int64) -> String { "as of \(age(milliseconds)) ago" }
    func changed(_ milliseconds: Int64) -> String { "; last changed \(age(milliseconds)) ago" }
    var noCashiers: String { "no cashiers: sales ask for none" }
    func pins(_ count: Int) -> String { "of \(count) cashiers; they can sell without the hub" }
    func pinsUnreadable(_ count: Int, of all: Int) -> String {
        "\(count) of \(all) cashiers have no PIN that can be checked here; update this terminal, or import "
            + "them again at the hub"
    }
    var importCashiers: String { "`pos-hub import cashiers FILE.csv` at the hub, then `pos sync now`" }
    var noCheapPINs: String { "no PIN is kept at the cost of before" }
    func cheapPINs(_ count: Int, _ ids: String, more: Int) -> String {
        "warning: \(count) PINs are kept at the cost of before until they are imported again: "
            + "\(ids)" + (more > 0 ? " and \(more) more" : "")
    }
    func members(_ count: Int) -> String {
        count == 0 ? "none: a member's id is taken down as typed" : "\(count) are known without the hub"
    }
    var noLeases: String { "none: without the hub no points are spent here" }
    func lease(_ left: Int64, _ kind: String, of leases: Int) -> String {
        "\(left) \(kind) of \(leases) leases"
    }
    func leases(_ sums: String, until: String) -> String {
        "\(sums) can be spent without the hub until \(until); if this terminal never returns, they are "
            + "what is lost at most"
    }
    var noOffers: String { "no promotions" }
    func offers(_ counts: FeedCopyCounts) -> String {
        "\(counts.offlinePromotions) of \(counts.promotions) "
            + "\(counts.promotions == 1 ? "promotion" : "promotions") hold without the hub; "
            + "\(counts.coupons) coupons are known"
    }

    func offline(after seconds: String, _ causes: String) -> String {
        "offline \(seconds) s after the cut, \(causes)"
    }
    func notOffline(after seconds: String) -> String { "not offline \(seconds) s after the cut" }
    var lowerDebounce: String { "lower network.debounceSeconds to at most 45, and look at `pos status`" }
    var nothingToPrice: String { "no article to price" }
    var importSome: String { "import articles at the hub, then `pos sync now`" }
    func priced(_ name: String, _ price: String, milliseconds: Int64) -> String {
        "\(name) costs \(price), priced in \(milliseconds) ms without the hub"
    }
    var canRecord: String { "the next sale can be recorded" }
    var doctorSaysWhy: String { "`pos doctor` names what is wrong" }
    var givenUp: String { "given up" }
    func online(after seconds: String) -> String { "online \(seconds) s after the connection was back" }
    func notOnline(after seconds: String) -> String {
        "not online \(seconds) s after the connection was back"
    }
    var lookForOutage: String {
        "a real outage began meanwhile: `pos status` names it, `pos sync now` tries at once"
    }
}
