import Base

internal import AgentAPI
internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import LinuxNetwork
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// Readiness for an outage: what would trouble the till when the network goes.
struct Doctor: Sendable {
    let home: TerminalHome
    let store: TerminalStores
    let tuning: RemoteConfiguration
    let schema: SchemaStatus
    let hubClock: HubTimeKeeper
    let time: any SystemTime
    let offline: OfflineService
    let drainer: OutboxDrainer
    let feed: CatalogueFeed
    let checkout: Checkout
    /// Whether the hub is pinged: one on this machine is not.
    let isPinging: Bool
    let printing: PrintingFeature

    /// Thirty days before its sunset a version is no longer ready for what comes, in milliseconds.
    private static let longNotice: Int64 = 30 * 86_400_000

    func examine() async -> DoctorCall.Response {
        let checks =
            [
                await catalogue(), pull(), await orderNumbers(), await pages(), outbox(await depth()), disk(),
                folder(), hub(), ping(), clock(), timeZone(), flag(), version(),
            ] + (await identity()) + (await cards()) + (await journal()) + (await copyChecks())
            + (await printer())
        return DoctorCall.Response(checks: checks)
    }

    func check(_ name: String, _ isFine: Bool, _ detail: String) -> DoctorCall.Check {
        DoctorCall.Check(name: name, isOk: isFine, detail: detail)
    }

    private func catalogue() async -> DoctorCall.Check {
        let count = (try? await store.catalogue.count()) ?? 0
        return check(
            "catalogue", count > 0,
            count > 0
                ? "\(count) articles on this disk"
                : "no articles; import some at the hub, then `pos sync now`")
    }

    /// Prices, PINs and withdrawals are as old as the last pull that was good. A day is what an outage of the
    /// shop's line lasts; the first one without a pull is the time to look.
    private static let oldPull: Int64 = 86_400_000

    private func pull() -> DoctorCall.Check {
        let record = feed.record
        guard let last = record.lastGoodAt else {
            return check("pull", false, "no pull was good yet\(record.problem.map { ": \($0)" } ?? "")")
        }
        let age = max(0, time.wallMilliseconds() - last)
        var detail = "the last good one is \(AgeText.text(milliseconds: age)) old"
        if let problem = record.problem { detail += ", the newest one failed: \(problem)" }
        if !record.skipped.isEmpty {
            let names = record.skipped.suffix(3).map(\.name).joined(separator: ", ")
            detail += "; \(record.skipped.count) rows of the hub were passed over, the last: \(names)"
        }
        return check(
            "pull", age < Self.oldPull && record.problem == nil && record.skipped.isEmpty, detail)
    }

    /// For so long a leap is a finding; afterwards it is history.
    private static let freshLeap: Int64 = 86_400_000

    private func orderNumbers() async -> DoctorCall.Check {
        guard let leap = (try? await store.facts.orderNumberLeap()) ?? nil else {
            return check("order numbers", true, "every number that came from outside was believable")
        }
        let age = time.wallMilliseconds() - leap.at
        return check(
            "order numbers", age >= Self.freshLeap,
            "\(Timestamp.text(milliseconds: leap.at)): \(leap.message)")
    }

    private func pages() async -> DoctorCall.Check {
        let problems = await store.database.verify()
        return check(
            "store", problems.isEmpty,
            problems.isEmpty
                ? "every page and every link of the journal is intact" : problems.joined(separator: "; "))
    }

    /// Whether everything that was recorded is still here, and goes to the hub.
    private func journal() async -> [DoctorCall.Check] {
        let condition = await StoreCondition.read(store, isRunning: false)
        let now = time.wallMilliseconds()
        var checks: [DoctorCall.Check] = []
        if let loss = condition.loss {
            checks.append(
                check(
                    "journal", !StoreCondition.isFinding(loss.at, at: now),
                    "\(Timestamp.text(milliseconds: loss.at)): \(loss.message)"))
        }
        if let repair = condition.repair.flatMap({ try? RepairReport(json: $0) }) {
            let lost = repair.lostCount
            let madeAt = Timestamp.milliseconds(of: repair.at)
            checks.append(
                check(
                    "repair", lost == 0 || !StoreCondition.isFinding(madeAt, at: now),
                    "\(repair.at): \(repair.entries) entries were brought over, \(lost) were lost"))
        }
        if condition.heldBack > 0 {
            checks.append(
                check(
                    "held back", false,
                    "\(condition.heldBack) entries are not what was written and are not sent; `pos sync rejected` "
                        + "lists them, `pos sync retry ID` sends one as it is and the hub flags it"))
        }
        return checks
    }

    /// Whether the hub takes what this terminal sends; nothing to say while it does.
    private func identity() async -> [DoctorCall.Check] {
        guard case .stopped(let stop) = await drainer.status else { return [] }
        return [check("identity", false, OutboxReader.words(stop))]
    }

    private func cards() async -> [DoctorCall.Check] {
        guard let unseen = try? await checkout.unseenCardSales(), !unseen.isEmpty else { return [] }
        let numbers = unseen.prefix(3).map(\.orderNumber.description).joined(separator: ", ")
        return [
            check(
                "card sales", false,
                "\(unseen.count) were made while their till command ended unseen (\(numbers)); `pos sell` shows "
                    + "them, `pos orders void` gives the money back")
        ]
    }

    private func depth() async -> OutboxDepth? {
        try? await store.outbox.depth()
    }

    private func outbox(_ depth: OutboxDepth?) -> DoctorCall.Check {
        guard let depth else { return check("outbox", false, "cannot be read") }
        let age = depth.oldestMadeAt.map { (time.wallMilliseconds() - $0) / 3_600_000 } ?? 0
        let isFine = depth.rejected == 0 && depth.conflicted == 0 && age < 24
        return check(
            "outbox", isFine,
            "\(depth.pending) pending, the oldest \(age) h old, \(depth.rejected) rejected, "
                + "\(depth.conflicted) in conflict")
    }

    private func disk() -> DoctorCall.Check {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: home.path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        let hasRoom = store.database.hasRoomForSale
        return check(
            "disk", free > 256 << 20 && hasRoom,
            hasRoom
                ? "\(free >> 20) MiB free; sales stop when the disk is full"
                : "\(free >> 20) MiB free: the disk is full and nothing can be sold; free some space")
    }

    private func folder() -> DoctorCall.Check {
        let isOpen = home.isOpenToOthers
        return check(
            "data folder", !isOpen,
            isOpen
                ? "others may enter \(home.path), where token and device key lie; the agent's next start "
                    + "closes it, or `chmod 700`" : "closed to other users")
    }

    /// Whoever is on the way reads and changes what goes over http.
    private func hub() -> DoctorCall.Check {
        let configuration = tuning.configuration
        let plain = [configuration.hubURL, configuration.qosURL].filter { text in
            (try? HubURL(text)).map { !$0.isSecure && !$0.isLoopback } ?? false
        }
        guard let first = plain.first else {
            return check("hub", true, "\(configuration.hubURL): nobody on the way can read or change sales")
        }
        return check(
            "hub", false,
            "\(first) is not encrypted (hub.allowInsecure): everyone on the way can read and change sales")
    }

    private func ping() -> DoctorCall.Check {
        guard isPinging else {
            return check("ping", true, "not used: the hub is on this machine")
        }
        let permission = ICMPPermission()
        return check("ping", permission.isGranted, "\(permission)")
    }

    private func clock() -> DoctorCall.Check {
        let now = time.wallMilliseconds()
        let floor: Int64 = 1_750_000_000_000
        let time = "\(Timestamp.text(milliseconds: now)) UTC"
        guard let ahead = hubClock.ahead else {
            return check("clock", now > floor, "\(time); the hub has not said its time yet")
        }
        let isNear = ahead.magnitude <= Checkout.clockTolerance
        let difference = AgeText.text(milliseconds: Int64(clamping: ahead.magnitude))
        return check(
            "clock", now > floor && isNear,
            "\(time); \(difference) \(ahead < 0 ? "ahead of" : "behind") the hub's"
                + (isNear ? "" : ": set it, sales are refused"))
    }

    private func timeZone() -> DoctorCall.Check {
        let configuration = tuning.configuration
        guard configuration.isTimeZoneSet else {
            return check("time zone", true, "warning: \(TerminalConfiguration.timeZoneWarning)")
        }
        return check("time zone", true, configuration.timeZone)
    }

    private func version() -> DoctorCall.Check {
        switch schema.word {
        case .welcome:
            return check("version", true, "\(TerminalVersion.current); the hub has nothing against it")
        case .retiring(let notice):
            let date = Timestamp.text(milliseconds: notice.sunsetAt).prefix(10)
            let isFar = notice.sunsetAt - time.wallMilliseconds() > Self.longNotice
            return check(
                "version", isFar,
                "warning: the hub answers \(TerminalVersion.current) until \(date); update before then")
        case .refused:
            return check(
                "version", false,
                "the hub answers \(TerminalVersion.current) no more; update, sales are kept until then")
        }
    }

    private func flag() -> DoctorCall.Check {
        let manual = offline.status.manual
        guard manual.isOn else { return check("manual switch", true, "off") }
        return check(
            "manual switch", manual.reason != "flag_corrupt", "on: \(manual.reason ?? "no reason given")")
    }
}

/// What an outage leaves of cashiers, members and offers: what the last pull brought.
extension Doctor {
    func copyChecks() async -> [DoctorCall.Check] {
        guard let counts = try? await store.copy.counts() else {
            return [check("PINs", false, "the copy of people and offers cannot be read")]
        }
        return [pins(counts), pinCosts(counts), members(counts), offers(counts)]
    }

    private func pins(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        guard counts.cashiers > 0 else { return check("PINs", true, "no cashiers: sales ask for none") }
        guard counts.unreadableCashiers == 0 else {
            return check(
                "PINs", false,
                "\(counts.unreadableCashiers) of \(counts.cashiers) cashiers have no PIN that can be checked here; "
                    + "update this terminal, or import them again at the hub")
        }
        return check("PINs", true, "of \(counts.cashiers) cashiers; they can sell without the hub")
    }

    /// The most ids that are listed; whoever has more imports them all.
    private static let listed = 50

    private func pinCosts(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        let cheap = counts.cheapCashiers
        guard !cheap.isEmpty else { return check("PIN cost", true, "no PIN is kept at the cost of before") }
        let more = cheap.count > Self.listed ? " and \(cheap.count - Self.listed) more" : ""
        return check(
            "PIN cost", true,
            "warning: \(cheap.count) PINs are kept at the cost of before until they are imported again: "
                + cheap.prefix(Self.listed).joined(separator: ", ") + more)
    }

    private func members(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        check(
            "members", true,
            counts.members == 0
                ? "none: a member's id is taken down as typed" : "\(counts.members) are known without the hub"
        )
    }

    private func offers(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        check(
            "offers", true,
            counts.promotions == 0
                ? "no promotions"
                : "\(counts.offlinePromotions) of \(counts.promotions) promotions hold without the hub; "
                    + "\(counts.coupons) coupons are known")
    }
}
