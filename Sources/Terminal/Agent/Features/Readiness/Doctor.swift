import Base

internal import AgentAPI
internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import LinuxNetwork
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import Retail
internal import TerminalStore

/// Readiness for an outage: what would trouble the till when the network goes.
struct Doctor: Sendable {
    let home: TerminalHome
    let store: TerminalStores
    let tuning: RemoteConfiguration
    let schema: SchemaStatus
    let hubClock: HubTimeKeeper
    /// The store's clock, by which entries and copies are dated.
    let time: any SystemTime
    let offline: OfflineService
    let drainer: OutboxDrainer
    let feed: CatalogueFeed
    let checkout: Checkout
    let cardReturns: CardReturns
    let carts: Carts
    let qos: CurlQoSConsultant
    let token: TokenKeeper
    let certificate: HubCertificate
    let path: HubPathChooser
    /// Whether the hub is pinged: one on this machine is not.
    let isPinging: Bool
    let printing: PrintingFeature
    let speed: DiskSpeed

    /// Thirty days before its sunset a version is no longer ready for what comes, in milliseconds.
    private static let longNotice: Int64 = 30 * 86_400_000

    func examine() async -> DoctorCall.Response {
        let checks =
            [
                await catalogue(), pull(), await orderNumbers(), await pages(), outbox(await depth()), disk(),
                diskSpeed(), await limits(), folder(), hub(), ping(), clock(), timeZone(), flag(), version(),
                await tokenLife(),
            ] + (await certificateLife()) + (await identity()) + (await cards()) + (await cardDebts())
            + (await moneyForCards()) + (await tenders())
            + (await journal()) + (await delivery())
            + (await copyChecks()) + standbyInUse() + [await decisions()] + (await printer())
        return DoctorCall.Response(checks: checks)
    }

    /// What each check counts in the score; 1 for the others. 5: without it a till cannot sell in an outage,
    /// or loses sales. 3: it sells with limits, or an outage of some days stops it. With equal weights a
    /// missing time zone would count like a full disk.
    static let weights: [String: Int64] = [
        "catalogue": 5, "order numbers": 5, "store": 5, "disk": 5, "clock": 5, "manual switch": 5, "PINs": 5,
        "journal": 5, "held back": 5, "hub's journal": 5, "identity": 5, "sending": 5, "entries": 3,
        "outbox": 3, "pull": 3, "limits": 3, "token": 3, "certificate": 3, "version": 3, "card sales": 3,
        "card debts": 3, "card refunds": 3, "printer": 3, "disk speed": 3,
        "prices": 3, "offers": 3,
    ]

    /// - Parameters:
    ///   - fix: what to do when it is not fine, with a command where one helps.
    ///   - age: of what it is about, in milliseconds.
    func check(
        _ name: String, _ isFine: Bool, _ detail: String, fix: String, age: Int64? = nil
    ) -> DoctorCall.Check {
        DoctorCall.Check(
            name: name, isOk: isFine, detail: detail, fix: fix, ageMilliseconds: age,
            weight: Self.weights[name] ?? 1)
    }

    /// Where nothing can be wrong.
    func note(_ name: String, _ detail: String, age: Int64? = nil) -> DoctorCall.Check {
        check(name, true, detail, fix: "", age: age)
    }

    private func catalogue() async -> DoctorCall.Check {
        let count = (try? await store.catalogue.count()) ?? 0
        return check(
            "catalogue", count > 0,
            count > 0
                ? "\(count) articles on this disk"
                : "no articles; import some at the hub, then `pos sync now`",
            fix: "`pos-hub import products FILE.csv` at the hub, then `pos sync now`", age: copyAge)
    }

    /// Prices, PINs and withdrawals are as old as the last pull that was good. A day is what an outage of the
    /// shop's line lasts; the first one without a pull is the time to look.
    static let oldPull: Int64 = 86_400_000

    private func pull() -> DoctorCall.Check {
        let record = feed.record
        guard let last = record.lastGoodAt else {
            return check(
                "pull", false, "no pull was good yet\(record.problem.map { ": \($0)" } ?? "")",
                fix: Self.pullFix)
        }
        let age = max(0, time.wallMilliseconds() - last)
        var detail = "the last good one is \(AgeText.text(milliseconds: age)) old"
        if let problem = record.problem { detail += ", the newest one failed: \(problem)" }
        if !record.skipped.isEmpty {
            let names = record.skipped.suffix(3).map(\.name).joined(separator: ", ")
            detail += "; \(record.skipped.count) rows of the hub were passed over, the last: \(names)"
        }
        return check(
            "pull", age < Self.oldPull && record.problem == nil && record.skipped.isEmpty, detail,
            fix: Self.pullFix, age: age)
    }

    private static let pullFix = "`pos sync now`; rows that were passed over have to be corrected at the hub"

    /// Every copy of the hub's data is as old as the last good pull; nil before the first.
    var copyAge: Int64? { feed.record.lastGoodAt.map { max(0, time.wallMilliseconds() - $0) } }

    /// For so long a leap is a finding; afterwards it is history.
    private static let freshLeap: Int64 = 86_400_000

    private func orderNumbers() async -> DoctorCall.Check {
        guard let leap = (try? await store.facts.orderNumberLeap()) ?? nil else {
            return note("order numbers", "every number that came from outside was believable")
        }
        let age = time.wallMilliseconds() - leap.at
        return check(
            "order numbers", age >= Self.freshLeap,
            "\(Timestamp.text(milliseconds: leap.at)): \(leap.message)",
            fix: "compare the numbers with the hub's (`pos-hub audit`); the finding ends a day after the leap"
        )
    }

    private func pages() async -> DoctorCall.Check {
        let problems = await store.database.verify()
        return check(
            "store", problems.isEmpty,
            problems.isEmpty
                ? "every page and every link of the journal is intact" : problems.joined(separator: "; "),
            fix: "end the agent, then `pos repair`")
    }

    /// Whether everything that was recorded is still here, and goes to the hub.
    private func journal() async -> [DoctorCall.Check] {
        let condition = await StoreCondition.read(store, isRunning: false)
        var checks: [DoctorCall.Check] = []
        let fix = "compare the receipts with `pos-hub audit`, then `\(StoreCondition.seenCommand)`"
        if let loss = condition.loss {
            checks.append(
                check(
                    "journal", condition.openLoss == nil,
                    "\(Timestamp.text(milliseconds: loss.at)): \(loss.message)", fix: fix))
        }
        if let repair = condition.repair.flatMap({ try? RepairReport(json: $0) }) {
            checks.append(
                check(
                    "repair", condition.openRepair == nil,
                    "\(repair.at): \(repair.entries) entries were brought over, \(repair.lostCount) were lost",
                    fix: fix))
        }
        if let absence = (try? await store.facts.absentAtHub()) ?? nil {
            checks.append(
                check(
                    "hub's journal", false, absence.message,
                    fix:
                        "`pos-hub ingest` of an export of the data folder that had them; else keep the receipts and "
                        + "compare them with `pos-hub audit`"))
        }
        if condition.heldBack > 0 {
            checks.append(
                check(
                    "held back", false,
                    "\(condition.heldBack) entries are not what was written and are not sent; `pos sync rejected` "
                        + "lists them, `pos sync retry ID` sends one as it is and the hub flags it",
                    fix: "`pos sync rejected`, then `pos sync retry ID` for each"))
        }
        return checks
    }

    /// Whether the hub takes what this terminal sends; nothing to say while it does.
    private func identity() async -> [DoctorCall.Check] {
        guard case .stopped(let stop) = await drainer.status else { return [] }
        return [
            check(
                "identity", false, OutboxReader.words(stop),
                fix: "`pos init --hub URL --enrol CODE` with a code of `pos-hub enrol-code`")
        ]
    }

    private func cards() async -> [DoctorCall.Check] {
        guard let unseen = try? await checkout.unseenCardSales(), !unseen.isEmpty else { return [] }
        let numbers = unseen.prefix(3).map(\.orderNumber.description).joined(separator: ", ")
        return [
            check(
                "card sales", false,
                "\(unseen.count) were made while their till command ended unseen (\(numbers)); `pos sell` shows "
                    + "them, `pos orders void` gives the money back",
                fix: "`pos sell --plain`, then `seen NUMBER` or `void NUMBER` for each")
        ]
    }

    /// Cards that were taken offline and refused afterwards; nothing to say without one.
    private func cardDebts() async -> [DoctorCall.Check] {
        let debts = ((try? await checkout.cardDebts()) ?? []).filter { !$0.isSettled }
        guard let first = debts.first else { return [] }
        let names = debts.prefix(3).map { debt in
            "\(debt.orderNumber ?? debt.key) \(AmountText.money(debt.amount, debt.currency)), "
                + (debt.reason ?? "no reason given")
        }.joined(separator: "; ")
        return [
            check(
                "card debts", false,
                "\(debts.count) cards that were taken offline were refused afterwards, "
                    + "\(AmountText.money(CardDebt.open(debts), first.currency)) are owed (\(names))",
                fix: "inform the manager: cash that a customer brings is `pos shift cash in AMOUNT --reason "
                    + "ORDER`; then `pos-hub debts settle ID --reason TEXT` at the hub ends the finding")
        ]
    }

    /// What goes back to cards by the terminal's own machine; nothing to say while all of it is back.
    private func moneyForCards() async -> [DoctorCall.Check] {
        guard let open = try? await cardReturns.open(), !open.isEmpty else { return [] }
        let (waiting, refused) = (open.waiting, open.refused)
        var checks: [DoctorCall.Check] = []
        if !refused.isEmpty {
            let first = refused.prefix(3).map { card in
                var why = ""
                if case .refused(let reason) = card.state { why = ": " + reason }
                return "\(card.orderNumber) \(AmountText.money(card.amount, card.currency))\(why)"
            }
            checks.append(
                check(
                    "card refunds", false,
                    "\(refused.count) refused by the card machine and owed to customers ("
                        + first.joined(separator: "; ") + ")",
                    fix: "`pos orders owed`, then `pos orders repay ID` for each gives the money in cash"))
        }
        if !waiting.isEmpty {
            let first = waiting.prefix(3).map {
                "\($0.orderNumber) \(AmountText.money($0.amount, $0.currency))"
            }
            checks.append(
                check(
                    "card machine", false,
                    "\(waiting.count) to go back to the card when the machine can be reached ("
                        + first.joined(separator: "; ") + ")",
                    fix: "switch the card machine on and check cardMachine.address; it is tried every 15 s"))
        }
        return checks
    }

    private func depth() async -> OutboxDepth? {
        try? await store.outbox.depth()
    }

    private func outbox(_ depth: OutboxDepth?) -> DoctorCall.Check {
        guard let depth else {
            return check("outbox", false, "cannot be read", fix: "end the agent, then `pos repair`")
        }
        let age = depth.oldestMadeAt.map { (time.wallMilliseconds() - $0) / 3_600_000 } ?? 0
        let isFine = depth.rejected == 0 && depth.conflicted == 0 && age < 24
        return check(
            "outbox", isFine,
            "\(depth.pending) pending, the oldest \(age) h old, \(depth.rejected) rejected, "
                + "\(depth.conflicted) in conflict",
            fix: depth.rejected + depth.conflicted > 0
                ? "`pos sync rejected`, then retry, edit, discard or resolve each" : "`pos sync now`")
    }

    private static let diskFix =
        "free some space on the disk of the data folder; `pos sync export FILE` copies the journal elsewhere"
    /// Bytes that a sale may take on the disk before it is acknowledged: some 3 KiB of rows, indexes and the
    /// write-ahead log, and room for long ones. With half of it the figure is too good.
    private static let bytesOfSale: Int64 = 8 << 10
    /// What a busy till sells in three days, the longest outage that is planned for.
    private static let plannedSales: Int64 = 3_000

    private func disk() -> DoctorCall.Check {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: home.path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        let hasRoom = store.database.hasRoomForSale
        return check(
            "disk", free > 256 << 20 && hasRoom,
            hasRoom
                ? "\(free >> 20) MiB free; sales stop when the disk is full"
                : "\(free >> 20) MiB free: the disk is full and nothing can be sold; free some space",
            fix: Self.diskFix)
    }

    /// What can still be accepted without the hub.
    private func limits() async -> DoctorCall.Check {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: home.path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        let sales = free / Self.bytesOfSale
        let parked = (try? await carts.list().count) ?? 0
        let left = max(0, Carts.maximumCarts - parked)
        return check(
            "limits", sales >= Self.plannedSales && left > 0,
            "left: about \(sales) sales on this disk, \(left) of \(Carts.maximumCarts) parked carts",
            fix: left == 0 ? "`pos cart list`, then `pos cart drop ID --reason TEXT`" : Self.diskFix)
    }

    private func folder() -> DoctorCall.Check {
        let isOpen = home.isOpenToOthers
        return check(
            "data folder", !isOpen,
            isOpen
                ? "others may enter \(home.path), where token and device key lie; the agent's next start "
                    + "closes it, or `chmod 700`" : "closed to other users", fix: "`chmod 700 \(home.path)`")
    }

    /// Whoever is on the way reads and changes what goes over http.
    private func hub() -> DoctorCall.Check {
        let configuration = tuning.configuration
        let plain = [configuration.hubURL, configuration.qosURL].filter { text in
            (try? HubURL(text)).map { !$0.isSecure && !$0.isLoopback } ?? false
        }
        guard let first = plain.first else {
            return note("hub", "\(configuration.hubURL): nobody on the way can read or change sales")
        }
        return check(
            "hub", false,
            "\(first) is not encrypted (hub.allowInsecure): everyone on the way can read and change sales",
            fix: "serve the hub with --tls-certificate and --tls-key, and set hub.url to https")
    }

    private func ping() -> DoctorCall.Check {
        guard isPinging else {
            return note("ping", "not used: the hub is on this machine")
        }
        let permission = ICMPPermission()
        return check(
            "ping", permission.isGranted, "\(permission)",
            fix: "`sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`, or CAP_NET_RAW for pos")
    }

    private func clock() -> DoctorCall.Check {
        let now = hubClock.wallMilliseconds()
        let floor: Int64 = 1_750_000_000_000
        let time = "\(Timestamp.text(milliseconds: now)) UTC"
        func check(_ isGood: Bool, _ words: String, fix: String = Self.clockFix) -> DoctorCall.Check {
            self.check("clock", now > floor && isGood, "\(time); \(words)", fix: fix)
        }
        let comparison = hubClock.comparison()
        switch comparison {
        case .unknown: return check(true, "the hub has not said its time yet")
        case .unconfirmed(let last):
            let date = Timestamp.text(milliseconds: last)
            return check(false, "the hub last said \(date): is this till's date right?")
        case .hubLeapt(let milliseconds):
            return check(
                false,
                "the hub's clock leapt by \(Self.span(milliseconds)): sales go on by its former time",
                fix: "set the hub's clock; where it is right, set this till's, and the till follows")
        case .compared(let ahead, _, let isHubsFault):
            let words = "\(Self.span(ahead)) \(ahead < 0 ? "ahead of" : "behind") the hub's"
            guard comparison.difference != nil else { return check(true, words) }
            let isRefused = comparison.refusedDifference != nil
            let rest = isRefused ? "set it, sales are refused" : "sales go by the hub's"
            return check(
                false, "\(words): \(isHubsFault ? "the hub's leapt; " : "")\(rest)")
        }
    }

    private static func span(_ milliseconds: Int64) -> String {
        AgeText.text(milliseconds: Int64(clamping: ClockComparison.rounded(milliseconds).magnitude))
    }

    private static let clockFix = "set the clock, `timedatectl set-ntp true` keeps it"

    private func timeZone() -> DoctorCall.Check {
        let configuration = tuning.configuration
        guard configuration.isTimeZoneSet else {
            return note("time zone", "UTC, since \(TerminalConfiguration.timeZoneWarning)")
        }
        return note("time zone", configuration.timeZone)
    }

    private func version() -> DoctorCall.Check {
        switch schema.word {
        case .welcome:
            return note("version", "\(TerminalVersion.current); the hub has nothing against it")
        case .retiring(let notice):
            let date = Timestamp.text(milliseconds: notice.sunsetAt).prefix(10)
            let isFar = notice.sunsetAt - time.wallMilliseconds() > Self.longNotice
            return check(
                "version", isFar,
                "warning: the hub answers \(TerminalVersion.current) until \(date); update before then",
                fix: Self.versionFix)
        case .refused:
            return check(
                "version", false,
                "the hub answers \(TerminalVersion.current) no more; update, sales are kept until then",
                fix: Self.versionFix)
        }
    }

    private static let versionFix = "install a newer `pos` and start the agent again; pending sales stay"

    private func flag() -> DoctorCall.Check {
        let manual = offline.status.manual
        guard manual.isOn else { return note("manual switch", "off") }
        return check(
            "manual switch", manual.reason != "flag_corrupt", "on: \(manual.reason ?? "no reason given")",
            fix: "`pos offline off`")
    }
}

extension HubAbsence {
    /// What is missing at the hub, and why nothing here can be done about it.
    var message: String {
        var parts: [String] = []
        if !missing.isEmpty {
            let first = missing.prefix(5).map(String.init).joined(separator: ", ")
            let more = missing.count > 5 ? ", …" : ""
            parts.append("\(missing.count) entries (\(first)\(more)), which this disk lacks too")
        }
        parts += heads.map {
            "entry \($0.sequence) of epoch \($0.epoch) and what led to it, which the hub had once"
        }
        return "the hub lacks " + parts.joined(separator: "; ")
    }
}
