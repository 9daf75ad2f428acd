internal import OfflineCore
internal import Retail

/// The line of the banner in one language.
struct BannerLine {
    let texts: any BannerTexts
    /// How many rows wait in the outbox.
    let pending: Int
    /// Of those, how many have a copy at another till.
    var copied = 0
    /// The last response of the hub in the store's time, for a till that looks for it; nil when it never was.
    let lastGood: String?
    /// The end of the hub's request to wait in the store's time; nil while none is valid.
    let waitEnds: String?

    /// One line: the mode, whose trouble it is, what happens to the sale, what helps.
    func text(of banner: Banner) -> String {
        var parts = [head(of: banner)]
        parts += banner.troubles.map(words)
        if banner.troubles.contains(where: \.keepsSales) { parts.append(texts.salesAreKept) }
        if pending > 0 { parts.append(texts.waiting(pending, copied: copied)) }
        return joined(parts, banner.action)
    }

    /// The line of a terminal that cannot start.
    func stopped(by trouble: Banner.Trouble, action: Banner.Action) -> String {
        var parts = [texts.stopped, words(trouble)]
        if pending > 0 { parts.append(texts.readableWaiting(pending)) }
        return joined(parts, action)
    }

    private func joined(_ parts: [String], _ action: Banner.Action) -> String {
        let help = action.command.flatMap { texts.help(action, by: $0) }
        return (parts + [help].compactMap(\.self)).joined(separator: " · ")
    }

    private func head(of banner: Banner) -> String {
        if banner.isOffline { return texts.offline }
        // Never an optimistic online before the hub was seen, nor beside a network that seems to be gone: T1
        // still runs then.
        if banner.troubles == [.connecting] { return texts.connecting }
        return banner.troubles.contains(where: \.isOfNetwork) ? texts.checkingNetwork : texts.online
    }

    /// The trouble alone.
    func words(_ trouble: Banner.Trouble) -> String {
        texts.text(trouble, lastGood: lastGood, waitEnds: waitEnds)
    }
}

extension Banner.Action {
    /// The command that does it; nil for none.
    var command: String? {
        switch self {
        case .none: nil
        case .retry: TillObstacle.retry
        case .signIn: TillObstacle.enrol
        case .switchOn: TillObstacle.goOnline
        case .repair: StoreCondition.repairCommand
        case .resolve: "pos sync rejected"
        case .examine: "pos doctor"
        }
    }
}

extension Banner.Trouble {
    /// Whether the hub does not get the sales now.
    fileprivate var keepsSales: Bool {
        switch self {
        case .slow, .databaseDamaged, .journalIncomplete, .entriesHeldBack, .clockDiffers, .clockWrong,
            .hubClockLeapt, .dateUnconfirmed, .diskFull, .slowDisk, .entriesNotTaken, .refused, .cardDebts,
            .owedToCustomers, .drill, .standby, .certificateEnded:
            false
        case .switchedOff, .flagCorrupt, .connecting, .noInterface, .loginPage, .nameNotFound, .certificate,
            .noInternet, .noResponse, .superseded, .hubSilent, .services, .signIn, .tooOld, .notArriving,
            .largePackets, .busy:
            true
        }
    }

    /// Whether nothing of the hub comes through, as long as it lasts.
    var isOfNetwork: Bool {
        switch self {
        case .noInterface, .loginPage, .nameNotFound, .certificate, .noInternet, .noResponse: true
        case .switchedOff, .flagCorrupt, .connecting, .hubSilent, .services, .signIn, .tooOld, .slow,
            .notArriving, .largePackets, .busy, .databaseDamaged, .journalIncomplete, .entriesHeldBack,
            .superseded, .clockDiffers, .clockWrong, .hubClockLeapt, .dateUnconfirmed, .diskFull, .drill,
            .slowDisk, .standby, .entriesNotTaken, .refused, .cardDebts, .owedToCustomers, .certificateEnded:
            false
        }
    }

    /// A stable word for programs.
    var word: String {
        switch self {
        case .switchedOff: "switchedOff"
        case .flagCorrupt: "flagCorrupt"
        case .connecting: "connecting"
        case .noInterface: "noInterface"
        case .loginPage: "loginPage"
        case .nameNotFound: "nameNotFound"
        case .certificate: "certificate"
        case .certificateEnded: "certificateEnded"
        case .noInternet: "noInternet"
        case .hubSilent: "hubSilent"
        case .services: "services"
        case .signIn: "signIn"
        case .tooOld: "tooOld"
        case .slow: "slow"
        case .notArriving: "notArriving"
        case .largePackets: "largePackets"
        case .busy: "busy"
        case .databaseDamaged: "databaseDamaged"
        case .journalIncomplete: "journalIncomplete"
        case .entriesHeldBack: "entriesHeldBack"
        case .noResponse: "noAnswer"
        case .superseded: "superseded"
        case .clockDiffers: "clockDiffers"
        case .clockWrong: "clockWrong"
        case .hubClockLeapt: "hubClockLeapt"
        case .dateUnconfirmed: "dateUnconfirmed"
        case .diskFull: "diskFull"
        case .slowDisk: "slowDisk"
        case .drill: "drill"
        case .standby: "standby"
        case .entriesNotTaken: "entriesNotTaken"
        case .refused: "refused"
        case .cardDebts: "cardDebts"
        case .owedToCustomers: "owedToCustomers"
        }
    }
}
