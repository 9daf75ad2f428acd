internal import AgentAPI
internal import Base

/// The texts of the banner and of its table on the cashiers' pages, in one language.
protocol BannerTexts: Sendable {
    /// The modes, at the head of the line.
    var online: String { get }
    var offline: String { get }
    var connecting: String { get }
    var checkingNetwork: String { get }
    var stopped: String { get }

    /// Behind a trouble that keeps sales from the hub.
    var salesAreKept: String { get }
    /// - Parameter copied: how many of them have a copy at another till.
    func waiting(_ count: Int, copied: Int) -> String
    /// Of a damaged database.
    func readableWaiting(_ count: Int) -> String

    /// One trouble.
    ///
    /// - Parameters:
    ///   - lastGood: the last response of the hub in the store's time; nil: never.
    ///   - waitEnds: the end of the hub's request to wait in the store's time; nil: not known.
    func text(_ trouble: Banner.Trouble, lastGood: String?, waitEnds: String?) -> String

    /// What to do about a clock so far from the hub's, for a sentence that goes on with why.
    func clockDiffers(hours: Int64) -> String

    /// What a person can run; nil where the trouble names the command.
    func help(_ action: Banner.Action, by command: String) -> String?

    /// What a trouble means, and what to do beside what ``BannerAdvice`` says; sentences, and `action` is
    /// empty for nothing.
    func guide(_ trouble: Banner.Trouble) -> (meaning: String, action: String)
    /// Of a counter whose service does not respond.
    var serviceStopped: (meaning: String, action: String) { get }

    /// The advice, in the words of the pages for cashiers.
    func word(_ sell: BannerAdvice.Sell) -> String
    func word(_ tenders: BannerAdvice.Tenders) -> String
    func word(_ person: BannerAdvice.Person) -> String
}

extension Language {
    var bannerTexts: any BannerTexts {
        switch self {
        case .english: EnglishBannerTexts()
        case .chinese: ChineseBannerTexts()
        }
    }
}
