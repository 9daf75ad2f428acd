import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import Retail

/// The banner in every language, for the status.
struct BannerDocument {
    let status: ModeStatus
    /// The hub no longer accepts this version.
    let isTooOld: Bool
    let losesLargePackets: Bool
    let probesInternet: Bool
    /// What stops sales or sending beside the mode.
    let first: [Banner.Trouble]
    /// Entries that the hub refused.
    let refused: Int
    /// The hub's certificate is not good, also while kept connections still work.
    let isCertificateEnded: Bool
    /// Cards that were taken offline and refused afterwards, and that nobody has settled.
    let cardDebts: Int
    /// Refunds that the card machine refused and nobody has paid.
    let owed: Int
    let isDiskSlow: Bool
    /// The interface that stands in for the main path; nil while that is used.
    let standby: String?
    /// What is wrong with a clock and stops nothing; nil for nothing.
    let clock: Banner.Trouble?
    /// What is wrong with the database; nil for nothing.
    let store: Banner.Trouble?
    let pending: Int
    /// Of those, how many have a copy at another till.
    let copied: Int
    /// The language of the configuration; nil: by whoever looks.
    let language: Language?
    let calendar: BusinessCalendar
    /// Turns a moment of the machine into Unix milliseconds.
    let wall: (Instant) -> Int64

    /// While offline the standby does not work, or not yet.
    private var shownStandby: [Banner.Trouble] {
        guard status.mode == .online, let standby else { return [] }
        return [.standby(interface: standby)]
    }

    var texts: BannerTextsByLanguage {
        let banner = Banner(
            status, isTooOld: isTooOld, losesLargePackets: losesLargePackets,
            probesInternet: probesInternet, first: first, store: store,
            last: (isCertificateEnded && status.mode == .online ? [.certificateEnded] : []) + shownStandby
                + (clock.map { [$0] } ?? [])
                + (status.delivery.entries > 0 ? [.entriesNotTaken(status.delivery.entries)] : [])
                + (refused > 0 ? [.refused(refused)] : [])
                + (cardDebts > 0 ? [.cardDebts(cardDebts)] : [])
                + (owed > 0 ? [.owedToCustomers(owed)] : []) + (isDiskSlow ? [.slowDisk] : []))
        let lastGood = status.connectivity.lastBackendOk.map { calendar.localTime(at: wall($0)) }
        let waitEnds = status.connectivity.rateLimitEnds.map { calendar.localTime(at: wall($0)) }
        let texts = Language.texts { language in
            BannerLine(
                texts: language.bannerTexts, pending: pending, copied: copied, lastGood: lastGood,
                waitEnds: waitEnds
            )
            .text(of: banner)
        }
        return BannerTextsByLanguage(
            troubles: banner.troubles.map(\.word), texts: texts, action: banner.action.rawValue,
            command: banner.action.command, language: language?.rawValue, advice: banner.advice)
    }
}
