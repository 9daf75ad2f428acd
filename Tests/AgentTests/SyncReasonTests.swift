import Base
import OfflineCore
import Testing

@testable import Agent

@Suite("Why a drain was stopped")
struct SyncReasonTests {
    private static let day: Int64 = 86_400_000
    private static let token =
        "the hub does not accept this terminal's token; it is tried again each minute, and where it was "
        + "revoked `pos init` signs this terminal in"

    @Test(
        "Under a clock more than a day off, the clock is set before the token", arguments: [1, -1] as [Int64])
    func clockFirst(sign: Int64) {
        let reason = SyncHandler.text(
            .stopped(.signInNeeded(code: "token_invalid")), hubAhead: sign * (Self.day + 1), in: .english)
        #expect(reason == "this till's clock is 24 h off the hub's: set it first; " + Self.token)
    }

    @Test(
        "A clock that is right, a day off or unknown is not named",
        arguments: [nil, 0, day, -day] as [Int64?])
    func tokenAlone(hubAhead: Int64?) {
        let stop = DrainReport.Ending.stopped(.signInNeeded(code: "token_invalid"))
        #expect(SyncHandler.text(stop, hubAhead: hubAhead, in: .english) == Self.token)
    }

    @Test(
        "A clock has no part in what no token helps",
        arguments: [.upgradeRequired, .epochSuperseded] as [DrainStop])
    func otherStops(stop: DrainStop) {
        for language in Language.allCases {
            #expect(
                SyncHandler.text(.stopped(stop), hubAhead: 2 * Self.day, in: language)
                    == language.errorTexts.text(stop))
        }
    }

    @Test("The banner says of a wrong clock the same, and that sales are refused")
    func banner() {
        func text(_ language: Language) -> String {
            BannerLine(texts: language.bannerTexts, pending: 0, lastGood: nil, waitEnds: nil)
                .words(.clockDiffers(hours: 26))
        }
        #expect(text(.english) == "this till's clock is 26 h off the hub's: set it, sales are refused")
        #expect(text(.chinese) == "本机时钟与总部相差 26 小时：请校准时钟，暂不能收银")
    }
}
