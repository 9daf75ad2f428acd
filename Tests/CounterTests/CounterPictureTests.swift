@testable import Agent
import AgentAPI
import Base
@testable import Counter
import Foundation
import Testing

/// The pictures of README and the counter's pages, drawn from the screen's own cells.
///
/// `REGENERATE_PICTURES=1` (`make pictures`) writes the files anew instead of comparing them.
@Suite("The pictures of the counter are its screens of today")
struct CounterPictureTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../docs/pictures").standardized
    private static let isWriting = ProcessInfo.processInfo.environment["REGENERATE_PICTURES"] != nil

    private static let tenders = ["stored", "hub"].map { route in
        ["cash", "card"].map { method in
            TenderState(
                method: method, kind: method, route: method == "cash" ? "local" : route,
                limitMinor: method == "card" && route == "stored" ? 20_000 : nil, needs: [], reason: nil,
                ends: AbilityEnd(), texts: nil)
        }
    }

    private static func till(isChinese: Bool, isOffline: Bool) -> CounterEvent {
        let cashier = SessionResponse.Cashier(
            id: "li", name: isChinese ? "李华" : "Li", role: "cashier", signedInAt: "", expiresAt: "")
        return BannerSample.shown(
            isOffline ? [.noResponse] : [], isOffline: isOffline,
            till: TillState(
                storeName: isChinese ? "街角店" : "Corner Shop", number: 1, timeZone: "Asia/Shanghai",
                cashier: cashier, shiftId: "S"), isChinese ? .chinese : .english)
    }

    @Test(
        "online with a cart, offline while a customer pays",
        arguments: [(false, false), (false, true), (true, false), (true, true)])
    func screens(isChinese: Bool, isOffline: Bool) throws {
        var play = CounterPlay(isChinese: isChinese)
        play.feed(Self.till(isChinese: isChinese, isOffline: isOffline))
        play.tenders = CounterTenders(tenders: Self.tenders[isOffline ? 0 : 1])
        play.scan("2*691", "692")
        if isOffline { play.press(.function(10)) }
        let words = isChinese ? isOffline ? "离线" : "在线" : isOffline ? "OFFLINE" : "ONLINE"
        #expect(play.text.contains(words))
        let title = isChinese ? "收银界面，\(words)" : "The counter, \(words.lowercased())"
        let name = "counter-\(isOffline ? "offline" : "online").\(isChinese ? "zh" : "en").svg"
        try compare(ScreenPicture(of: play.screen.frame(), title: title).svg, name)
    }

    private static func goods(isChinese: Bool) -> [CounterPlay.Article] {
        let names =
            isChinese
            ? ["全脂牛奶 1 升", "龙井茶 250 克", "茶杯", "苹果"] : ["Milk 1 l", "Green tea 100 g", "Teacup", "Apples"]
        let prices: [Int64] = isChinese ? [650, 12_800, 1990, 1280] : [129, 450, 395, 299]
        return zip(["MILK", "TEA", "CUP", "APL"], zip(names, prices)).enumerated().map { index, article in
            (code: "70\(index)", sku: article.0, name: article.1.0, price: article.1.1)
        }
    }

    /// The screens of a page in their order: a cart, its payment, the change, and a payment offline.
    private static func screens(isChinese: Bool) -> [String] {
        var play = CounterPlay(isChinese: isChinese)
        (play.assortment, play.currency) = (goods(isChinese: isChinese), isChinese ? "CNY" : "EUR")
        (play.tenders, play.sync) = (CounterTenders(tenders: tenders[1]), "acknowledged")
        play.feed(till(isChinese: isChinese, isOffline: false))
        play.scan("700", "2*701", "702", "0.357*703")
        var screens = [ScreenText(play).whole]
        play.press(.function(10))
        screens.append(ScreenText(play).dialog)
        play.press(.down, .enter)
        screens.append(ScreenText(play).dialog)
        play.feed(till(isChinese: isChinese, isOffline: true))
        play.tenders = CounterTenders(tenders: tenders[0])
        play.scan("700")
        play.press(.function(10))
        return screens + [ScreenText(play).top]
    }

    @Test("The counter's page shows the screens of today", arguments: [false, true])
    func page(isChinese: Bool) throws {
        let name = "docs/cashiers/counter.\(isChinese ? "zh" : "en").md"
        let file = Self.folder.appendingPathComponent("../../\(name)").standardized
        var page = try String(contentsOf: file, encoding: .utf8)
        let blocks = page.matches(of: #/(?m)^( *)```text\n([\s\S]*?)^ *```$/#)
        let screens = Self.screens(isChinese: isChinese)
        #expect(blocks.count == screens.count)
        for (block, screen) in zip(blocks, screens).reversed() {
            let drawn =
                screen.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "" : block.1 + $0 }.joined(separator: "\n") + "\n"
            if Self.isWriting {
                page.replaceSubrange(block.2.startIndex..<block.2.endIndex, with: drawn)
            } else {
                #expect(String(block.2) == drawn, "\(name) shows another screen: make pictures")
            }
        }
        if Self.isWriting { try page.write(to: file, atomically: true, encoding: .utf8) }
    }

    private func compare(_ svg: String, _ name: String) throws {
        let file = Self.folder.appendingPathComponent(name)
        if Self.isWriting { try svg.write(to: file, atomically: true, encoding: .utf8) }
        let drawn = try? String(contentsOf: file, encoding: .utf8)
        #expect(drawn == svg, "docs/pictures/\(name) is out of date: make pictures")
    }
}

/// A screen as text of a page: several empty rows as one, and of a dialog what is left of its right border.
private struct ScreenText {
    private let rows: [String]
    /// Of the dialog.
    private let box: Range<Int>

    init(_ play: CounterPlay) {
        rows = play.text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
            String(row.reversed().drop { $0 == " " }.reversed())
        }
        let (start, end) = (
            rows.firstIndex { $0.contains("┌") }, rows.firstIndex { $0.contains("└") }
        )
        box = (start ?? 0)..<(end.map { $0 + 1 } ?? 0)
    }

    /// The whole screen.
    var whole: String { Self.text(rows) }
    /// The dialog, and what the keys do.
    var dialog: String { Self.text(boxRows + ["", keys]) }
    /// What is above the dialog, too.
    var top: String { Self.text(rows[..<box.lowerBound] + boxRows + ["", keys]) }

    private var keys: String { rows.last { !$0.isEmpty } ?? "" }

    private var boxRows: [String] {
        rows[box].map { row in
            let ends = row.indices.filter { "│┐┘".contains(row[$0]) }
            let right = row.contains("│") ? ends.dropFirst().first : ends.first
            return right.map { String(row[...$0]) } ?? row
        }
    }

    private static func text(_ rows: some Sequence<String>) -> String {
        rows.reduce(into: [String]()) { kept, row in
            if !row.isEmpty || kept.last?.isEmpty == false { kept.append(row) }
        }.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }
}
