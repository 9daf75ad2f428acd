import AgentAPI
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
        let banner =
            switch (isChinese, isOffline) {
            case (true, true): "离线 · 联系不上总部：本店外网或总部服务器中断，请检查路由器 · 单据保存在本机，恢复后自动上传"
            case (true, false): "在线"
            case (false, true):
                "OFFLINE · nothing comes back from head office: the shop's internet is down, or head office; "
                    + "check the router · sales are kept here and sent by themselves"
            case (false, false): "ONLINE"
            }
        return .status(
            .shown(
                isOffline: isOffline, command: isOffline ? "pos sync now" : nil, banner: banner,
                till: TillState(
                    storeName: isChinese ? "街角店" : "Corner Shop", number: 1, timeZone: "Asia/Shanghai",
                    cashier: cashier, shiftId: "S")))
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

    private func compare(_ svg: String, _ name: String) throws {
        let file = Self.folder.appendingPathComponent(name)
        if Self.isWriting { try svg.write(to: file, atomically: true, encoding: .utf8) }
        let drawn = try? String(contentsOf: file, encoding: .utf8)
        #expect(drawn == svg, "docs/pictures/\(name) is out of date: make pictures")
    }
}

/// A screen as an SVG: each run of cells with one style is a text at its column, so that wide characters
/// stay in place.
private struct ScreenPicture {
    private static let (cellWidth, rowHeight, margin) = (9, 20, 12)
    private static let colors: [FrameStyle: (text: String, ground: String?)] = [
        .plain: ("#d6dce3", nil), .bold: ("#ffffff", nil), .dim: ("#8a94a0", nil),
        .title: ("#ffffff", nil), .calm: ("#8fd18a", nil), .alert: ("#14181d", "#e3b341"),
        .stopped: ("#ffffff", "#c0392b"), .error: ("#ff7b72", nil), .heading: ("#7fb0e0", nil),
        .selected: ("#14181d", "#7fb0e0"), .key: ("#e3b341", nil), .total: ("#ffffff", nil),
        .money: ("#ffffff", nil), .border: ("#7fb0e0", nil),
    ]

    let svg: String

    init(of frame: Frame, title: String) {
        let (width, height) = (
            frame.columns * Self.cellWidth + 2 * Self.margin, frame.rows * Self.rowHeight + 2 * Self.margin
        )
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)" role="img" "#
                + #"font-family="ui-monospace, Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace" font-size="15">"#,
            "<title>\(title)</title>", ##"<rect width="100%" height="100%" rx="8" fill="#14181d"/>"##,
        ]
        for row in 0..<frame.rows { lines += Self.texts(of: frame, row) }
        svg = (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func texts(of frame: Frame, _ row: Int) -> [String] {
        let cells = Array(frame.cells[row * frame.columns..<(row + 1) * frame.columns])
        var found: [String] = []
        var start = 0
        while start < cells.count {
            var end = start + 1
            while end < cells.count, cells[end].style == cells[start].style { end += 1 }
            found += run(Array(cells[start..<end]), at: start, row)
            start = end
        }
        return found
    }

    private static func run(_ cells: [Frame.Cell], at column: Int, _ row: Int) -> [String] {
        let text = String(cells.compactMap(\.character))
        let (color, ground) = colors[cells[0].style] ?? ("#d6dce3", nil)
        let (x, y, width) = (margin + column * cellWidth, margin + row * rowHeight, cells.count * cellWidth)
        var found: [String] = []
        if let ground {
            found.append(
                #"<rect x="\#(x)" y="\#(y)" width="\#(width)" height="\#(rowHeight)" fill="\#(ground)"/>"#)
        }
        if text.contains(where: { $0 != " " }) {
            found.append(
                #"<text x="\#(x)" y="\#(y + 15)" fill="\#(color)" xml:space="preserve" textLength="\#(width)" "#
                    + #"lengthAdjust="spacingAndGlyphs">\#(escaped(text))</text>"#)
        }
        return found
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
