import Foundation
import OfflineCore
import Testing

@testable import Agent

@Suite("The banner's gate")
struct BannerGateTests {
    /// Plays a banner of one letter every 100 ms and draws what is seen.
    private func seen(_ offered: String) -> String {
        var gate = BannerGate<Character>()
        var drawn = ""
        for (index, letter) in offered.enumerated() {
            let now = Duration.milliseconds(index * 100)
            _ = gate.pass(at: now)
            _ = gate.offer(letter, at: now)
            drawn.append(gate.shown ?? " ")
        }
        return drawn
    }

    @Test(
        "The first is seen at once, a change after 300 ms and 2 s after the one before",
        arguments: [
            ("aaaa", "aaaa"),
            // 2 s since the first, then the grace alone.
            ("abbbbbbbbbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaaaaaaabbb"),
            ("aaaaaaaaaaaaaaaaaaaaaaabbbbb", "aaaaaaaaaaaaaaaaaaaaaaaaaabb"),
            // Flicker is never seen.
            ("aaaaaaaaaaaaaaaaaaaaaaabbaaabbaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ])
    func gate(offered: String, drawn: String) {
        #expect(seen(offered) == drawn)
    }

    @Test("Of several changes that wait the last is shown, at the first one's time")
    func last() {
        #expect(seen("aaaaaaaaaaaaaaaaaaaaaaabcdddd") == "aaaaaaaaaaaaaaaaaaaaaaaaaaddd")
    }

    @Test(
        "The language is the locale's, the first of LC_ALL, LC_MESSAGES and LANG that is set",
        arguments: [
            (["LANG": "zh_CN.UTF-8"], BannerLanguage.chinese), (["LANG": "de_DE"], .english), ([:], .english),
            (["LC_ALL": "C", "LANG": "zh_CN"], .english), (["LC_ALL": "", "LANG": "zh"], .chinese),
        ])
    func language(environment: [String: String], language: BannerLanguage) {
        #expect(BannerLanguage(environment: environment) == language)
    }
}

@Suite("The cashiers' pages")
struct CashierPageTests {
    /// `REGENERATE_PAGES=1` writes the table anew instead of comparing it.
    @Test("Each page has the banner's own texts", arguments: [BannerLanguage.english, .chinese])
    func page(language: BannerLanguage) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("docs/cashiers/banner.\(language.rawValue).md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let table = BannerTable.markdown(language)
        guard ProcessInfo.processInfo.environment["REGENERATE_PAGES"] != nil else {
            #expect(page.contains(table + "\n"))
            return
        }
        let lines = page.components(separatedBy: "\n")
        let before = lines.prefix { !$0.hasPrefix("| ") }
        let after = lines.dropFirst(before.count).drop { $0.hasPrefix("| ") }
        try (before + table.components(separatedBy: "\n") + after).joined(separator: "\n")
            .write(to: file, atomically: true, encoding: .utf8)
    }
}
