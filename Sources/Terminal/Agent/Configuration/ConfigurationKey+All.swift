internal import HubProtocol
internal import OfflineCore
internal import TerminalStore

extension ConfigurationKey {
    /// Every key, in the order in which `config/terminal.json` and the reference list them.
    static let all: [ConfigurationKey] =
        hub + qos + network + service + checkout + account + shift + refund + points + sync + policy
        + retention + store + display + printer + cardMachine + neighbours

    private static let hub = [
        text("hub.url", nil, "Address of the hub; written by `pos init`."),
        text(
            "hub.caFile", nil, "PEM file of the certificate authority to trust instead of the system's roots."
        ),
        flag(
            "hub.allowInsecure", false,
            "Allows http to a hub that is not on loopback. Everyone on the way can read and change sales."),
    ]

    private static let qos = [
        text("qos.url", nil, "Address of the QoS service; the hub's own when not given."),
        seconds(
            "qos.pollSeconds", 30, 1...300,
            "Wait for the next query after QoS did not respond, ±20 %, and between failed canaries. A response "
                + "of QoS names its own interval."),
        seconds(
            "qos.dwellSeconds", 15, 1...120,
            "How long a switch by QoS holds the next one off, an operator's apart; half as long again for each "
                + "flap beyond two in 10 minutes, at most 120 s."),
    ]

    private static let network = [
        seconds(
            "network.debounceSeconds", 8, 1...120,
            "T1: how long failures last without a success before the network is unreachable. Shorter flaps "
                + "more, longer shows online while the line is dead."),
        seconds("network.pathDebounceSeconds", 5, 1...120, "T1 while there is no path at all."),
        seconds(
            "network.pingIntervalSeconds", 15, 1...3600, "Time between pings of an idle terminal, ±10 %."),
        seconds(
            "network.probeIntervalSeconds", 60, 1...3600, "Time between HTTPS probes of an idle terminal."),
        text(
            "network.internetProbeURL", nil,
            "An address independent of the hub. It decides whether a silent hub or the line is at fault; without "
                + "it the hub's pings do."),
        seconds(
            "network.recoveryHoldSeconds", 10, 1...600,
            "T2: how long probes must be good again before the terminal is online."),
        ConfigurationKey(
            name: "network.meteredInterfaces", kind: .list,
            meaning: "Interfaces whose traffic costs money. That of a modem always does."),
        flag("network.constrained", false, "The path is narrow: no telemetry, no large pulls."),
    ]

    private static let service = [
        ConfigurationKey(
            name: "service.consecutiveFailures",
            kind: .integer(unit: "failures", default: 5, range: 1...1000),
            meaning: "Failures of one API in a row that make the terminal ask QoS."),
        text(
            "service.coreAPIsFile", nil,
            "File that says which API belongs to which service and which services are core "
                + "(`config/core-apis.json`); the built-in table when not given."),
    ]

    private static let checkout = [
        ConfigurationKey(
            name: "checkout.onlineBudgetMilliseconds",
            kind: .integer(unit: "ms", default: 1500, range: 100...60_000),
            meaning: "How long a sale waits while online for all of the hub's services together: cashier, "
                + "member, offers and its push."),
        ConfigurationKey(
            name: "checkout.maximumQuantityMilli",
            kind: .integer(unit: "thousandths", default: 10_000_000, range: 1...1_000_000_000_000),
            meaning: "The largest quantity of one line; more is taken for a scanning error."),
        seconds(
            "checkout.cardTimeoutSeconds", 60, 1...300,
            "How long a card authorisation may take before its outcome counts as unknown."),
        ConfigurationKey(
            name: "checkout.equalScans", kind: .choice(["apart", "together"], default: "apart"),
            meaning:
                "`together`: at the counter and in `pos sell --plain` an article that is scanned again counts its "
                + "line up; `apart`: each scan is a line."),
        text(
            "barcode.rules", nil,
            "Barcodes with a weight or price inside, as rules of 13 characters with commas between them: two digits "
                + "of the prefix (20 to 29), `A` for the article, `W` for thousandths or `P` for minor units, `V` "
                + "for a digit that is not read, `C` for the check digit: `21AAAAAWWWWWC,22AAAAAPPPPPC`."),
        ConfigurationKey(
            name: "cash.roundingMinor", kind: .integer(unit: "minor units", default: 1, range: 1...10_000),
            meaning: "The smallest coin: what is paid in cash is rounded to it, half away from zero."),
    ]

    private static let account = [
        ConfigurationKey(
            name: "account.idleMinutes", kind: .integer(unit: "min", default: 15, range: 1...1440),
            meaning:
                "How long a sign-in lasts without a command of the person's. Longer leaves the till open to "
                + "whoever passes, shorter asks for the PIN between two customers."),
        ConfigurationKey(
            name: "account.approvals", kind: .words(ApprovalAction.allCases.map(\.rawValue)),
            meaning:
                "What needs another person's PIN besides what the store lists; a file adds, it takes nothing "
                + "away. A store with a manager that lists nothing: all but `manualOffline`."),
        ConfigurationKey(
            name: "account.discountBasisPoints",
            kind: .integer(
                unit: "hundredths of a percent", default: Int(Approvals.standardDiscountBasisPoints),
                range: 0...10_000),
            meaning:
                "Up to which part of a line a cashier's discount needs no approver. A file lowers what the "
                + "store sets, it raises nothing."),
    ]

    private static let shift = [
        ConfigurationKey(
            name: "shift.required", kind: .choice(["off", "on"], default: "off"),
            meaning: "`on`: nothing is sold without an open shift (`pos shift open`)."),
        ConfigurationKey(
            name: "shift.toleratedDifference",
            kind: .limit(unit: "minor units", standard: "any", range: 0...1_000_000_000_000),
            meaning:
                "By how much the counted cash may differ from what is expected. Above it a shift closes only "
                + "after a second count, and with the approval `cashMovement` where the store lists that. A "
                + "file lowers what the store sets, it raises nothing."),
        ConfigurationKey(
            name: "shift.blindCount", kind: .choice(["off", "on"], default: "off"),
            meaning: "`on`: nobody is shown what should be in the drawer before it is counted."),
    ]

    private static let refund = [
        withoutOrder("perRefund", "20000; 200000 with 3 decimals", "one refund may come to"),
        withoutOrder(
            "perDay", "50000; 500000 with 3 decimals",
            "all such refunds of a business day at this terminal may come to"),
    ]

    private static func withoutOrder(_ name: String, _ standard: String, _ what: String) -> ConfigurationKey {
        ConfigurationKey(
            name: "refund.withoutOrder.\(name)",
            kind: .limit(unit: "minor units", standard: standard, range: 0...1_000_000_000_000),
            meaning:
                "What \(what) while neither this terminal nor the hub has the order: by a receipt's code "
                + "while the hub does not respond, or without a receipt. Above it a manager's approval is "
                + "needed (`refundLimit`), without cashiers it is refused. A file only lowers what the store "
                + "sets.")
    }

    private static let points = [
        ConfigurationKey(
            name: "points.earnEveryMinor", kind: pointsAmount("minor units"),
            meaning:
                "A member's sale earns one point for each full such amount of its total; 0: none. The store "
                + "sets it for all terminals."),
        ConfigurationKey(
            name: "points.valueMinor", kind: pointsAmount("minor units"),
            meaning: "What a spent point takes off; 0: points are not spent."),
        ConfigurationKey(
            name: "points.minimumSpend", kind: pointsAmount("points"),
            meaning: "The fewest points that a sale spends."),
    ]

    private static func pointsAmount(_ unit: String) -> ConfigurationKey.Kind {
        .integer(unit: unit, default: 0, range: 0...1_000_000_000_000)
    }

    private static let sync = [
        seconds(
            "sync.requestTimeoutSeconds", 10, 1...300,
            "Deadline of one push, and of the hub's probe in a confirmation round. A push whose bytes move goes "
                + "on, up to six times as long. Not the cashier's waiting: that is the online budget."),
        seconds("sync.pullSeconds", 300, 1...86_400, "Time between pulls of the change feed, ±10 %."),
        seconds(
            "sync.maximumBackoffSeconds", 43_200, 1...86_400,
            "The longest wait between two attempts to push while the hub is in trouble."),
    ]

    private static let policy = [
        text(
            "policy.quietHours", nil,
            "HH:MM-HH:MM in the store's time: only the outbox goes; pulls, attachments and telemetry wait."),
        ConfigurationKey(
            name: "policy.batteryFloorPercent",
            kind: .integer(unit: "%", default: 15, range: 0...100),
            meaning: "On a battery with less charge only the outbox goes; 0 never minds the battery."),
    ]

    /// How long what is no record of the shop stays; removed at the agent's start.
    private static let retention = TerminalRetention.allCases.map { kind in
        ConfigurationKey(
            name: kind.configurationKey,
            kind: .integer(unit: "days", default: kind.rule.days, range: kind.rule.range),
            meaning: kind.rule.removed + " [What is lost with it](retention.md).")
    }

    private static let display = [
        text(
            "display.language", nil,
            "Language of banner, checkout and receipts, `en` or `zh`; by the `LANG` of whoever looks when not "
                + "given, receipts then in English.")
    ]

    private static let printer = [
        text(
            "printer.device", nil,
            "The receipt printer: `file:PATH`, `tcp:HOST:PORT` (9100 on most) or a path under `/dev`; none when "
                + "not given. Whoever reaches a network printer reads its receipts."),
        ConfigurationKey(
            name: "printer.width", kind: .integer(unit: "mm", default: 80, range: 58...80),
            meaning: "Width of the paper: 58 (32 columns) or 80 (48 columns)."),
        text(
            "printer.language", nil,
            "Language and character set of printed receipts, `en` (Windows-1252) or `zh` (GB18030); that of "
                + "`display.language` when not given, else `en`. A letter that the set has not is printed by the "
                + "nearest letters, else as `?`."
        ),
    ]

    private static let store = [
        text("store.name", nil, "First line of the receipt; the store's id when not given."),
        text("store.taxNumber", nil, "Tax number of the store, a line of its own on the receipt's head."),
        ConfigurationKey(
            name: "store.countryCode", kind: .integer(unit: "calling code", default: 0, range: 0...999),
            meaning:
                "The calling code of the store's country, 49 for example: telephone numbers of members that are "
                + "typed as they are dialled there are completed by it, and kept as `+4917…`; 0: they stay as "
                + "typed."),
        text(
            "store.timeZone", "UTC", "IANA name of the store's time zone, for the business day and receipts."),
        text(
            BusinessDayBegin.key, BusinessDayBegin.standard.text,
            "Time of day, HH:MM, at which a business day begins."),
    ]

    private static func seconds(
        _ name: String, _ standard: Int, _ range: ClosedRange<Int>, _ meaning: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, kind: .integer(unit: "s", default: standard, range: range), meaning: meaning)
    }

    private static func text(_ name: String, _ standard: String?, _ meaning: String) -> ConfigurationKey {
        ConfigurationKey(name: name, kind: .text(default: standard), meaning: meaning)
    }

    private static func flag(_ name: String, _ standard: Bool, _ meaning: String) -> ConfigurationKey {
        ConfigurationKey(name: name, kind: .boolean(default: standard), meaning: meaning)
    }
}
