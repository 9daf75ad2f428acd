internal import AgentAPI

/// What the banner may say, with what it means for the cashier: the table of the pages under `docs/cashiers`.
enum BannerTable {
    /// One row for each trouble, in the order in which a shop meets them.
    ///
    /// - Returns: Markdown, a table without its headings' page.
    static func markdown(_ texts: any BannerTexts) -> String {
        let line = BannerLine(texts: texts, pending: 0, lastGood: nil, waitEnds: nil)
        let rows = troubles.map { trouble in
            let guide = texts.guide(trouble)
            return "| \(ShopWords.text(line.words(trouble))) | \(guide.meaning) | \(guide.action) |"
        }
        return ([texts.guideHead, "| --- | --- | --- |"] + rows).joined(separator: "\n")
    }

    private static let troubles: [Banner.Trouble] = [
        .connecting, .noInternet, .noResponse, .noInterface, .loginPage, .nameNotFound, .certificate,
        .hubSilent(internetResponds: true), .hubSilent(internetResponds: false), .services(["order"]),
        .switchedOff(reason: nil), .flagCorrupt, .signIn, .tooOld, .slow, .notArriving, .largePackets, .busy,
        .standby(interface: "wwan0"), .entriesNotTaken(2), .refused(2), .cardDebts(2), .owedToCustomers(2),
        .journalIncomplete,
        .entriesHeldBack(2),
        .superseded,
        .clockDiffers(hours: 26), .clockWrong(milliseconds: 300_000),
        .hubClockLeapt(milliseconds: 172_800_000),
        .dateUnconfirmed(today: "2027-11-25", last: "2026-11-25"), .slowDisk, .diskFull, .databaseDamaged,
        .drill,
    ]
}
