@testable import Agent
import AgentAPI
import Base
@testable import Counter

/// A line that the counter can show above the checkout, as the program draws it.
struct BannerSample {
    /// Of its picture's file.
    let name: String
    /// Nil: the till's service does not respond.
    let trouble: Banner.Trouble?
    let isOffline: Bool

    /// Each trouble, in the order in which a shop meets them; what keeps the till offline is offline.
    static let all: [BannerSample] =
        offline.map { Self($0, isOffline: true) } + [Self(.connecting)]
        + online.map { Self($0) }
        + [Self("serviceStopped", nil)]

    private static let offline: [Banner.Trouble] = [
        .noInternet, .noResponse, .noInterface, .loginPage, .nameNotFound, .certificate,
        .hubSilent(internetResponds: true), .hubSilent(internetResponds: false), .services(["order"]),
        .switchedOff(reason: nil), .flagCorrupt, .drill,
    ]

    private static let online: [Banner.Trouble] = [
        .certificateEnded, .signIn, .tooOld, .slow, .notArriving, .largePackets, .busy,
        .standby(interface: "wwan0"),
        .entriesNotTaken(2), .refused(2), .cardDebts(2), .owedToCustomers(2), .journalIncomplete,
        .entriesHeldBack(2), .superseded, .clockDiffers(hours: 26), .clockWrong(milliseconds: 300_000),
        .hubClockLeapt(milliseconds: 172_800_000),
        .dateUnconfirmed(today: "2027-11-25", last: "2026-11-25"), .slowDisk, .diskFull, .databaseDamaged,
    ]

    private init(_ trouble: Banner.Trouble, isOffline: Bool = false) {
        let name = trouble == .hubSilent(internetResponds: false) ? "hubProgramSilent" : trouble.word
        self.init(name, trouble, isOffline: isOffline)
    }

    private init(_ name: String, _ trouble: Banner.Trouble?, isOffline: Bool = false) {
        (self.name, self.trouble, self.isOffline) = (name, trouble, isOffline)
    }

    var advice: BannerAdvice { trouble?.advice(isOffline: isOffline) ?? .serviceStopped }

    func guide(_ language: Language) -> (meaning: String, action: String) {
        trouble.map(language.bannerTexts.guide) ?? language.bannerTexts.serviceStopped
    }

    /// The trouble alone, as the counter writes it.
    func words(_ language: Language) -> String {
        let texts = language.counterTexts
        return trouble.map { texts.words(Self.line(language).words($0)) } ?? texts.agentStopped
    }

    /// The rows of the banner in the smallest window.
    func picture(_ language: Language) -> String {
        var screen = CounterScreen(
            language: language, columns: CounterScreen.smallest.columns, rows: CounterScreen.smallest.rows,
            secondsFromUTC: { _, _ in 0 }, mintKey: { "01J0000000000000000000000A" })
        let troubles = trouble.map { [$0] } ?? []
        _ = screen.handle(Self.shown(troubles, isOffline: isOffline, language))
        if trouble == nil { _ = screen.handle(.agentGone) }
        return ScreenPicture(
            of: screen.frame(), rows: 1..<screen.firstLine, margin: 0, title: words(language)
        ).svg
    }

    /// What the counter gets of an agent whose banner has these troubles.
    static func shown(
        _ troubles: [Banner.Trouble], isOffline: Bool, till: TillState? = nil, _ language: Language
    ) -> CounterEvent {
        let banner = Banner(isOffline: isOffline, troubles: troubles)
        let text =
            troubles.first == .databaseDamaged
            ? line(language).stopped(by: .databaseDamaged, action: banner.action)
            : line(language).text(of: banner)
        var status = StatusResponse()
        status.storeId = "S1"
        status.running = RunningState()
        if let till { status.running?.till = till }
        return .status(
            CounterStatus(
                status, banner: text, isOffline: isOffline, level: banner.advice.level,
                command: banner.action.command, language: language))
    }

    private static func line(_ language: Language) -> BannerLine {
        BannerLine(texts: language.bannerTexts, pending: 0, lastGood: nil, waitEnds: nil)
    }
}
