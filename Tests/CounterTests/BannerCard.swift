import Agent
import Base

/// The card beside the till: one A4 page with every line of the counter, as the counter draws it.
struct BannerCard {
    private let language: Language
    private let words: Words

    init(_ language: Language) {
        self.language = language
        words = language == .chinese ? .chinese : .english
    }

    /// - Parameter rows: each with its drawing, its three words and what to do.
    func html(_ rows: [[String]]) -> String {
        let phones = words.phones.map { "\($0) <u>&nbsp;</u>" }.joined(separator: " · ")
        let head = words.head.map { "<th>\($0)</th>" }.joined()
        return
            ([
                #"<!doctype html><html lang="\#(language.rawValue)"><meta charset="utf-8"><title>\#(words.title)</title>"#,
                "<style>", Self.style, "</style>",
                "<h1>\(words.title)</h1><table><tr>\(head)</tr>",
            ] + rows.map { "<tr>" + $0.map { "<td>\($0)</td>" }.joined() + "</tr>" } + [
                "</table><p>\(words.foot)</p><p>\(phones)</p></html>", "",
            ]).joined(separator: "\n")
    }

    private static let style = """
        @page{size:A4;margin:7mm}
        body{font:7.5pt/1.15 system-ui,'Noto Sans CJK SC',sans-serif;margin:0;color:#111}
        h1{font-size:12pt;margin:0 0 1mm}table{border-collapse:collapse;width:100%}
        th{text-align:left}td,th{padding:.35mm 1mm;border-bottom:.2mm solid #bbb;vertical-align:middle}
        svg{display:block;width:102mm}td:nth-child(n+2):nth-child(-n+4){white-space:nowrap}td:nth-child(2){font-weight:bold}
        p{margin:1.5mm 0 0}u{display:inline-block;width:42mm;text-decoration:none;border-bottom:.3mm solid #111}
        """

    private struct Words {
        let title: String
        let head: [String]
        let foot: String
        let phones: [String]

        static let english = Self(
            title: "What the line above the checkout says",
            head: ["the line", "may I sell?", "tenders", "whom to call", "and"],
            foot:
                "Cash only: cards go where F10 lists them as stored or machine. Whatever you do, the sales are "
                + "safe, also when the till is switched off in the middle. The number of waiting sales is no fault.",
            phones: ["Manager", "IT", "Installer of the tills"])

        static let chinese = Self(
            title: "收银界面上方的提示", head: ["屏幕提示", "能收银吗？", "收款方式", "联系谁", "另外"],
            foot: "只收现金：F10 列出“稍后授权”或“刷卡机”时也可刷卡。无论如何，单据都是安全的，中途关机也一样。待上传的笔数不是故障。",
            phones: ["店长", "技术人员", "安装人员"])
    }
}
