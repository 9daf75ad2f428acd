internal import HubCore

/// An article of an import with the moment at which it came to be as it is.
struct DatedArticle: Sendable {
    let article: ImportList.Article
    let hlc: HybridLogicalClock

    /// Each article at a tick of its own.
    static func all(
        _ articles: [ImportList.Article], at now: Int64, from clock: inout HybridLogicalClock
    ) -> [DatedArticle] {
        articles.map { article in
            clock.tick(now: now)
            return DatedArticle(article: article, hlc: clock)
        }
    }
}
