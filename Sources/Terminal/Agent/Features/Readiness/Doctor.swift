import Base

internal import AgentAPI
internal import CurlHTTP
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
    /// Nil while a card machine is configured.
    let formerCardMachine: CardDevice?
    let carts: Carts
    let qos: CurlQoSConsultant
    let token: TokenKeeper
    let certificate: HubCertificate
    let path: HubPathChooser
    /// Whether the hub is pinged: one on this machine is not.
    let isPinging: Bool
    let printing: PrintingFeature
    let speed: DiskSpeed
    let neighbours: NeighboursFeature
    /// Of what it finds; English for programs.
    var language = Language.english

    /// Thirty days before its sunset a version is no longer ready for what comes, in milliseconds.
    private static let longNotice: Int64 = 30 * 86_400_000

    var texts: any DoctorTexts { language.doctorTexts }

    func examine() async -> DoctorCall.Response {
        let checks =
            [
                await catalogue(), pull(), await orderNumbers(), await pages(), outbox(await depth()), disk(),
                diskSpeed(), await limits(), folder(), hub(), ping(), clock(), timeZone(), flag(), version(),
                await tokenLife(),
            ] + (await certificateLife()) + (await identity()) + (await cards()) + (await cardDebts())
            + (await moneyForCards()) + (await formerMachine()) + machinePassword + (await tenders())
            + (await journal()) + (await delivery())
            + (await copyChecks()) + standbyInUse() + [await decisions()] + (await printer())
            + (await otherTills())
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

    /// What does not hinder in an outage, and still wants somebody to act.
    func warning(_ name: String, _ detail: String, fix: String) -> DoctorCall.Check {
        DoctorCall.Check(name: name, isOk: true, isWarning: true, detail: detail, fix: fix)
    }

    private func catalogue() async -> DoctorCall.Check {
        let count = (try? await store.catalogue.count()) ?? 0
        return check(
            "catalogue", count > 0, texts.articles(count), fix: texts.importArticles, age: copyAge)
    }

    /// Prices, PINs and withdrawals are as old as the last pull that was good. A day is what an outage of the
    /// shop's line lasts; the first one without a pull is the time to look.
    static let oldPull: Int64 = 86_400_000

    private func pull() -> DoctorCall.Check {
        let record = feed.record
        guard let last = record.lastGoodAt else {
            return check("pull", false, texts.noPull(record.problem), fix: texts.pullAgain)
        }
        let age = max(0, time.wallMilliseconds() - last)
        var detail = texts.pulled(age)
        if let problem = record.problem { detail += texts.pullFailed(problem) }
        if !record.skipped.isEmpty {
            let names = record.skipped.suffix(3).map(\.name).joined(separator: ", ")
            detail += texts.passedOver(record.skipped.count, last: names)
        }
        return check(
            "pull", age < Self.oldPull && record.problem == nil && record.skipped.isEmpty, detail,
            fix: texts.pullAgain, age: age)
    }

    /// Every copy of the hub's data is as old as the last good pull; nil before the first.
    var copyAge: Int64? { feed.record.lastGoodAt.map { max(0, time.wallMilliseconds() - $0) } }

    /// For so long a leap is a finding; afterwards it is history.
    private static let freshLeap: Int64 = 86_400_000

    private func orderNumbers() async -> DoctorCall.Check {
        guard let leap = (try? await store.facts.orderNumberLeap()) ?? nil else {
            return note("order numbers", texts.numbersFine)
        }
        let age = time.wallMilliseconds() - leap.at
        return check(
            "order numbers", age >= Self.freshLeap,
            "\(Timestamp.text(milliseconds: leap.at)): \(texts.text(leap))", fix: texts.compareNumbers
        )
    }

    private func pages() async -> DoctorCall.Check {
        let problems = await store.database.verify()
        return check(
            "store", problems.isEmpty,
            problems.isEmpty ? texts.storeFine : problems.joined(separator: "; "), fix: texts.repair)
    }

    /// Whether everything that was recorded is still here, and goes to the hub.
    private func journal() async -> [DoctorCall.Check] {
        let condition = await StoreCondition.read(store, isRunning: false)
        var checks: [DoctorCall.Check] = []
        let fix = texts.compareReceipts
        if let loss = condition.loss {
            checks.append(
                check(
                    "journal", condition.openLoss == nil,
                    "\(Timestamp.text(milliseconds: loss.at)): \(texts.text(loss))", fix: fix))
        }
        if let repair = condition.repair.flatMap({ try? RepairReport(json: $0) }) {
            checks.append(
                check(
                    "repair", condition.openRepair == nil,
                    texts.repaired(repair),
                    fix: fix))
        }
        if let absence = (try? await store.facts.absentAtHub()) ?? nil {
            checks.append(
                check("hub's journal", false, texts.text(absence), fix: texts.ingest))
        }
        if condition.heldBack > 0 {
            checks.append(
                check(
                    "held back", false, texts.heldBack(condition.heldBack), fix: texts.sendHeldBack))
        }
        return checks
    }

    /// Whether the hub takes what this terminal sends; nothing to say while it does.
    private func identity() async -> [DoctorCall.Check] {
        guard case .stopped(let stop) = await drainer.status else { return [] }
        return [
            check("identity", false, language.errorTexts.text(stop), fix: texts.enrol)
        ]
    }

    private func cards() async -> [DoctorCall.Check] {
        guard let unseen = try? await checkout.unseenCardSales(), !unseen.isEmpty else { return [] }
        let numbers = unseen.prefix(3).map(\.orderNumber.description).joined(separator: ", ")
        return [
            check(
                "card sales", false, texts.unseenSales(unseen.count, numbers), fix: texts.lookAtSales)
        ]
    }

    /// Cards that were taken offline and refused afterwards; nothing to say without one.
    private func cardDebts() async -> [DoctorCall.Check] {
        let debts = ((try? await checkout.cardDebts()) ?? []).filter { !$0.isSettled }
        guard let first = debts.first else { return [] }
        let names = debts.prefix(3).map { debt in
            "\(debt.orderNumber ?? debt.key) \(AmountText.money(debt.amount, debt.currency)), "
                + (debt.reason ?? texts.noReason)
        }.joined(separator: "; ")
        return [
            check(
                "card debts", false,
                texts.cardDebts(
                    debts.count, owed: AmountText.money(CardDebt.open(debts), first.currency), names),
                fix: texts.settleDebts)
        ]
    }

    /// What goes back to cards by the terminal's own machine; nothing to say while all of it is back.
    private func moneyForCards() async -> [DoctorCall.Check] {
        guard let open = try? await cardReturns.open() else { return [] }
        func of(
            _ cards: [CardReturn], _ name: String, _ words: (Int, String) -> String, fix: String
        ) -> [DoctorCall.Check] {
            let first = cards.prefix(3).map { card in
                var why = ""
                if case .refused(let reason) = card.state { why = ": " + reason }
                return "\(card.orderNumber) \(AmountText.money(card.amount, card.currency))\(why)"
            }
            guard !cards.isEmpty else { return [] }
            return [check(name, false, words(cards.count, first.joined(separator: "; ")), fix: fix)]
        }
        let forMachine = open.filter { $0.state == .waiting }
        return of(open.refused, "card refunds", texts.owedToCustomers, fix: texts.repay)
            + of(forMachine, "card machine", texts.waitingForMachine, fix: texts.checkMachine)
            + of(open.waitingForCard, "cards to present", texts.waitingForCards, fix: texts.presentCards)
            + of(open.requested, "card requests", texts.requestedOfMachine, fix: texts.confirmRequests)
    }

    /// What is open of a card machine that is not configured any more: its payments end by a person alone.
    private func formerMachine() async -> [DoctorCall.Check] {
        guard let open = try? await formerCardMachine?.open(), !open.isEmpty else { return [] }
        let first = open.prefix(3).map { "\($0.key) \(AmountText.money($0.amount, $0.currency))" }
        return [
            check(
                "card payments", false,
                texts.openAtFormerMachine(open.count, first.joined(separator: "; ")),
                fix: texts.decidePayments)
        ]
    }

    /// A machine with the password that every one has at first, or without a key.
    private var machinePassword: [DoctorCall.Check] {
        guard let machine = tuning.configuration.cardMachine, !machine.isSecretSet else { return [] }
        switch machine.kind {
        case .simulated, .hub, .token: return []
        case .zvt:
            return [warning("card machine password", texts.standardPassword, fix: texts.setMachinePassword)]
        case .nexo: return [warning("card machine key", texts.noMachineKey, fix: texts.setMachineKey)]
        }
    }

    private func depth() async -> OutboxDepth? {
        try? await store.outbox.depth()
    }

    private func outbox(_ depth: OutboxDepth?) -> DoctorCall.Check {
        guard let depth else {
            return check("outbox", false, texts.outboxUnreadable, fix: texts.repair)
        }
        let age = depth.oldestMadeAt.map { (time.wallMilliseconds() - $0) / 3_600_000 } ?? 0
        let isFine = depth.rejected == 0 && depth.conflicted == 0 && age < 24
        return check(
            "outbox", isFine, texts.outbox(depth, hours: age),
            fix: depth.rejected + depth.conflicted > 0 ? texts.resolveOutbox : "`pos sync now`")
    }

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
            texts.disk(free: free >> 20, hasRoom: hasRoom), fix: texts.freeSpace)
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
            texts.left(sales: sales, carts: left, of: Carts.maximumCarts),
            fix: left == 0 ? texts.dropCarts : texts.freeSpace)
    }

    private func folder() -> DoctorCall.Check {
        let isOpen = home.isOpenToOthers
        return check(
            "data folder", !isOpen, texts.folder(home.path, isOpen: isOpen), fix: "`chmod 700 \(home.path)`")
    }

    /// Whoever is on the way reads and changes what goes over http.
    private func hub() -> DoctorCall.Check {
        let configuration = tuning.configuration
        let plain = [configuration.hubURL, configuration.qosURL].filter { text in
            (try? ServerURL(text)).map { !$0.isSecure && !$0.isLoopback } ?? false
        }
        guard let first = plain.first else {
            return note("hub", texts.encrypted(configuration.hubURL))
        }
        return check("hub", false, texts.plain(first), fix: texts.encrypt)
    }

    private func ping() -> DoctorCall.Check {
        guard isPinging else {
            return note("ping", texts.notPinging)
        }
        let permission = ICMPPermission()
        return check(
            "ping", permission.isGranted, texts.text(permission), fix: texts.permitPing)
    }

    private func clock() -> DoctorCall.Check {
        let now = hubClock.wallMilliseconds()
        let floor: Int64 = 1_750_000_000_000
        let comparison = hubClock.comparison()
        let isFine: Bool
        var fix = texts.setClock
        switch comparison {
        case .unknown: isFine = true
        case .unconfirmed: isFine = false
        case .hubLeapt: (isFine, fix) = (false, texts.setHubClock)
        case .compared: isFine = comparison.difference == nil
        }
        return check(
            "clock", now > floor && isFine,
            "\(Timestamp.text(milliseconds: now)) UTC; \(texts.text(comparison))", fix: fix)
    }

    private func timeZone() -> DoctorCall.Check {
        let configuration = tuning.configuration
        guard configuration.isTimeZoneSet else {
            return note("time zone", texts.noTimeZone)
        }
        return note("time zone", configuration.timeZone)
    }

    private func version() -> DoctorCall.Check {
        let words = texts.version(schema.word, TerminalVersion.current)
        switch schema.word {
        case .welcome: return note("version", words)
        case .retiring(let notice):
            let isFar = notice.sunsetAt - time.wallMilliseconds() > Self.longNotice
            return check("version", isFar, words, fix: texts.update)
        case .refused: return check("version", false, words, fix: texts.update)
        }
    }

    private func flag() -> DoctorCall.Check {
        let manual = offline.status.manual
        guard manual.isOn else { return note("manual switch", texts.manualSwitchOff) }
        return check(
            "manual switch", manual.reason != "flag_corrupt", texts.manualSwitch(manual.reason),
            fix: "`pos offline off`")
    }
}
