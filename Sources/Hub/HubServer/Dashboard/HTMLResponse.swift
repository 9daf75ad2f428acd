internal import Base
internal import Dashboard

/// A page as a response: never stored, everything that it loads from this hub, forms to this hub alone.
enum HTMLText {
    static func response(status: Int, _ html: String) -> HubResponse {
        HubResponse(status: status, contentType: "text/html; charset=utf-8", body: Array(html.utf8))
            .with("Cache-Control", "no-store")
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
                    + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
            )
            // The page's path leads back after a change of the language, and to no other site.
            .with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "same-origin")
    }
}

extension PageFrame.Notice {
    /// What came of a form, by the word in the page's query.
    init?(done: String, _ language: Language) {
        let texts: (String, String)
        switch done {
        case "set": texts = ("The override holds.", "人工干预已生效。")
        case "proposed":
            texts = (
                "The override waits for a second operator.", "人工干预等待第二位操作员确认。"
            )
        case "confirmed": texts = ("The override holds.", "人工干预已生效。")
        case "acknowledged": texts = ("The alarm is acknowledged.", "告警已确认。")
        case "resolved": texts = ("The decision is noted.", "处理结果已记录。")
        case "settled": texts = ("The debt is settled.", "欠款已结清。")
        case "cleared": texts = ("It is taken back.", "已撤销。")
        case _: return nil
        }
        self.init(language == .english ? texts.0 : texts.1, isRefusal: false)
    }
}
