@testable import Agent
import AgentAPI
import Base
import Foundation
import HubProtocol
import Testing

/// The pages of the banner and the cards to print, from the counter's own drawing and the program's advice.
///
/// `REGENERATE_PICTURES=1` (`make pictures`) writes them anew instead of comparing them.
@Suite("The cashiers' pages of the banner", .serialized)
struct BannerPageTests {
    private static let docs = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs")
        .standardized
    private static let pictures = docs.appendingPathComponent("pictures/banner")
    private static let isWriting = ProcessInfo.processInfo.environment["REGENERATE_PICTURES"] != nil

    @Test("Every line has its picture, drawn by the counter", arguments: [Language.english, .chinese])
    func pictures(language: Language) throws {
        for sample in BannerSample.all {
            try hold(sample.picture(language), "pictures/banner/\(sample.name).\(language.rawValue).svg")
        }
    }

    @Test("No picture is left of a line that the counter shows no more")
    func leftovers() throws {
        let drawn = Set(BannerSample.all.flatMap { ["\($0.name).en.svg", "\($0.name).zh.svg"] })
        #expect(drawn.count == 2 * BannerSample.all.count)
        let files = try Set(FileManager.default.contentsOfDirectory(atPath: Self.pictures.path))
        for name in files.subtracting(drawn) where Self.isWriting {
            try FileManager.default.removeItem(at: Self.pictures.appendingPathComponent(name))
        }
        #expect(files == drawn || Self.isWriting)
    }

    @Test(
        "The page has each line with its picture, whether to sell, the tenders and whom to call",
        arguments: [Language.english, .chinese])
    func page(language: Language) throws {
        let name = "cashiers/banner.\(language.rawValue).md"
        let lines = try String(contentsOf: Self.docs.appendingPathComponent(name), encoding: .utf8)
            .components(separatedBy: "\n")
        let head = try #require(lines.firstIndex { $0.hasPrefix("| --- ") })
        let after = lines[(head + 1)...].drop { $0.hasPrefix("| ") }
        let rows = BannerSample.all.map { sample in
            let file = "../pictures/banner/\(sample.name).\(language.rawValue).svg"
            let picture = "![\(sample.words(language))](\(file))"
            let guide = sample.guide(language)
            let text = [guide.meaning, guide.action].filter { !$0.isEmpty }
                .joined(separator: language == .chinese ? "" : " ")
            let cells = [picture + "<br>" + text] + words(sample.advice, language)
            return "| " + cells.joined(separator: " | ") + " |"
        }
        try hold((lines[...head] + rows + after).joined(separator: "\n"), name)
    }

    @Test("The card to print has the same", arguments: [Language.english, .chinese])
    func card(language: Language) throws {
        let rows = BannerSample.all.map { sample in
            [sample.picture(language).trimmingCharacters(in: .newlines)] + words(sample.advice, language)
                + [ScreenPicture.escaped(sample.guide(language).action)]
        }
        try hold(BannerCard(language).html(rows), "cashiers/card.\(language.rawValue).html")
    }

    private func words(_ advice: BannerAdvice, _ language: Language) -> [String] {
        let texts = language.bannerTexts
        return [texts.word(advice.sell), texts.word(advice.tenders), texts.word(advice.call)]
    }

    /// Compares a file with what it has to be, byte by byte.
    private func hold(_ text: String, _ name: String) throws {
        let file = Self.docs.appendingPathComponent(name)
        if Self.isWriting { try text.write(to: file, atomically: true, encoding: .utf8) }
        let found = try? String(contentsOf: file, encoding: .utf8)
        #expect(found == text, "docs/\(name) is out of date: make pictures")
    }
}

@Suite("What the banner means for whoever sells")
struct BannerAdviceTests {
    @Test("Nothing that stops or refuses sales is green, and what is green sells by all tenders")
    func level() {
        for sample in BannerSample.all {
            let advice = sample.advice
            #expect((advice.level == .stopped) == (advice.sell == .no), "\(sample.name)")
            #expect((advice.sell == .no) == (advice.tenders == .none), "\(sample.name)")
            if advice.level == .calm {
                #expect(advice == BannerAdvice(.calm), "\(sample.name)")
            }
        }
    }

    @Test("Of several the worst counts in each respect, and offline is never calm")
    func worst() {
        let full = Banner(isOffline: false, troubles: [.slow, .diskFull, .refused(1)]).advice
        #expect(full == BannerAdvice(.stopped, sell: .no, tenders: .none, call: .it))
        let clock = Banner(isOffline: true, troubles: [.noInternet, .clockDiffers(hours: 26)]).advice
        #expect(clock == BannerAdvice(.alert, sell: .afterCheck, tenders: .cash, call: .it))
        #expect(Banner(isOffline: true, troubles: []).advice == BannerAdvice(.alert, tenders: .cash))
        #expect(Banner(isOffline: false, troubles: []).advice == BannerAdvice(.calm))
    }

    @Test(
        "A bad certificate refuses cards only while it keeps the till offline, and is no check of the network else"
    )
    func certificate() {
        let kept = Banner(isOffline: false, troubles: [.certificateEnded])
        #expect(kept.advice == BannerAdvice(.alert, call: .it))
        let line = BannerLine(texts: Language.english.bannerTexts, pending: 0, lastGood: nil, waitEnds: nil)
        #expect(line.text(of: kept).hasPrefix("ONLINE · the hub's certificate is not good"))
        #expect(Banner(isOffline: true, troubles: [.certificate]).advice.tenders == .cash)
    }

    @Test("It is written into the status and read from it, and an agent of before is no calm one")
    func document() throws {
        let banner = BannerTextsByLanguage(
            troubles: [], texts: [:], action: "none", command: nil, language: nil,
            advice: BannerAdvice(.stopped, sell: .no, tenders: .none, call: .it))
        let read = try BannerTextsByLanguage(banner.json, at: "banner")
        #expect(read.advice == banner.advice)
        let before = JSONValue.object(
            JSONObject([
                "troubles": .array([]), "text": .object(JSONObject()), "action": .string("none"),
                "command": .null, "language": .null,
            ]))
        #expect(try BannerTextsByLanguage(before, at: "banner").advice.level == .alert)
    }
}
