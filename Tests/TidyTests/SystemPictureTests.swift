import Foundation
import Testing

/// The picture of README: a till, the hub, and what moves between them, in each language.
///
/// `REGENERATE_PICTURES=1` (`make pictures`) writes the files anew instead of comparing them.
@Suite("The picture of the system")
struct SystemPictureTests {
    @Test("is drawn from its words, and its programs exist", arguments: SystemWords.all)
    func current(words: SystemWords) throws {
        let picture = SystemPicture(words)
        let file = SourceTree.root.appendingPathComponent("docs/pictures/\(words.file)")
        if ProcessInfo.processInfo.environment["REGENERATE_PICTURES"] != nil {
            try picture.svg.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == picture.svg,
            "docs/pictures/\(words.file) is out of date: make pictures")
        let package = try DocumentPages.text(of: "Package.swift")
        for program in SystemPicture.programs {
            #expect(package.contains("name: \"\(program)\""), "\(program) is no program")
        }
    }

    /// `make reference` writes both, the tables from the package description.
    @Test("The picture of the targets has the targets of the tables, floor by floor")
    func targets() throws {
        let page = try DocumentPages.text(of: "docs/architecture.md")
        let picture = try DocumentPages.text(of: "docs/pictures/targets.svg")
        let description = try #require(picture.firstMatch(of: #/<desc id="d">(.*?)<\/desc>/#)).1
        var drawn: [String: Set<String>] = [:]
        for floor in description.split(separator: "; ") {
            let parts = floor.split(separator: ": ").map(String.init)
            drawn[parts[0]] = Set(parts[1].components(separatedBy: ", "))
        }
        var listed: [String: Set<String>] = [:]
        var floor = ""
        for line in page.components(separatedBy: "<!-- end of targets -->")[0].components(separatedBy: "\n") {
            if let match = line.wholeMatch(of: #/\*\*(\w+)\*\*/#) { floor = String(match.1) }
            guard !floor.isEmpty, let match = line.firstMatch(of: #/^\| `([^`]+)` \|/#) else { continue }
            listed[floor, default: []].insert(String(match.1))
        }
        #expect(listed.count == 7 && drawn == listed, "make reference")
        #expect(drawn.values.joined().allSatisfy { picture.contains(">\($0)</text>") })
    }

    @Test("No text is wider than its box, and none leaves the picture", arguments: SystemWords.all)
    func fits(words: SystemWords) {
        for text in SystemPicture(words).texts {
            #expect(text.width <= text.room, "\(text.words)")
        }
    }
}

/// What stands in the picture.
struct SystemWords: Sendable, CustomTestStringConvertible {
    let file, title, description, shop, cashier, counter, agent, first, disk, diskHolds: String
    let paper: [String]
    let later, back: String
    let cut: [String]
    let hub, hubDisk, hubDiskHolds: String

    var testDescription: String { file }

    static let all = [
        SystemWords(
            file: "system.svg", title: "The system",
            description:
                "A cashier uses pos at a till. A sale is written to the till's own SQLite file first, then "
                + "the agent sends it over the network to the hub, which keeps it in SQLite or PostgreSQL. The hub "
                + "sends the catalogue, cashiers and offers back. When the network is away the till goes on selling.",
            shop: "the shop", cashier: "cashier", counter: "the counter", agent: "online or offline?",
            first: "1 first, to the disk", disk: "SQLite", diskHolds: "sales, journal, outbox",
            paper: ["2 the receipt is printed", "when the disk has the sale"],
            later: "3 later, each sale once", back: "catalogue, cashiers, offers",
            cut: ["the network may fail here:", "the till sells on"],
            hub: "one server for all shops", hubDisk: "SQLite or PostgreSQL",
            hubDiskHolds: "journals of all tills"),
        SystemWords(
            file: "system.zh.svg", title: "系统",
            description: "收银员在收银机上使用 pos。销售先写入本机的 SQLite 文件，再由收银服务经网络传给总部，总部存入 SQLite 或 "
                + "PostgreSQL。总部下发商品目录、收银员和优惠。断网时照常收银。",
            shop: "门店", cashier: "收银员", counter: "收银界面", agent: "在线还是离线？",
            first: "1 先写入本机磁盘", disk: "SQLite", diskHolds: "销售、单据链、待上传",
            paper: ["2 写入磁盘之后", "才打印小票"],
            later: "3 之后上传，每笔一次", back: "商品目录、收银员、优惠",
            cut: ["网络可能在这里中断：", "照常收银"],
            hub: "总部：所有门店一台服务器", hubDisk: "SQLite 或 PostgreSQL", hubDiskHolds: "所有收银机的单据链"),
    ]
}

/// Two rows of boxes: who acts above, and what each keeps below.
struct SystemPicture {
    static let programs = ["pos", "pos-hub"]
    private static let (width, height) = (930, 330)
    /// The middle of the upper row, and half the height of a box.
    private static let (row, half) = (113, 28)

    struct Text {
        let words: String
        let x, y, room: Int
        let isName: Bool

        /// Of a sans-serif of 15 or 13 pixels: a Chinese character takes an em, others little more than
        /// half of it.
        var width: Int {
            let em = isName ? 15.0 : 13.0
            return Int(words.unicodeScalars.reduce(0) { $0 + em * ($1.value > 0x2E80 ? 1 : 0.53) })
        }

        var svg: String {
            "<text class=\"\(isName ? "name" : "note")\" x=\"\(x)\" y=\"\(y)\">\(words)</text>"
        }
    }

    private let words: SystemWords

    init(_ words: SystemWords) { self.words = words }

    private var boxes: [(x: Int, width: Int, name: String, note: String)] {
        [
            (150, 120, "pos sell", words.counter), (325, 150, "pos agent", words.agent),
            (690, 200, "pos-hub", words.hub),
        ]
    }

    private var disks: [(x: Int, width: Int, name: String, note: String)] {
        [(320, 160, words.disk, words.diskHolds), (690, 200, words.hubDisk, words.hubDiskHolds)]
    }

    var texts: [Text] {
        let row = Self.row
        let pairs = boxes.map { (box: $0, y: row - 3) } + disks.map { (box: $0, y: 256) }
        let inside = pairs.flatMap { pair in
            let middle = pair.box.x + pair.box.width / 2
            return [
                Text(words: pair.box.name, x: middle, y: pair.y, room: pair.box.width, isName: true),
                Text(words: pair.box.note, x: middle, y: pair.y + 19, room: pair.box.width, isName: false),
            ]
        }
        return inside + [
            Text(words: words.shop, x: 60, y: 42, room: 90, isName: false),
            Text(words: words.cashier, x: 65, y: row + 5, room: 80, isName: true),
            Text(words: words.first, x: 325, y: 172, room: 145, isName: false),
            Text(words: words.paper[0], x: 200, y: 235, room: 230, isName: false),
            Text(words: words.paper[1], x: 200, y: 253, room: 230, isName: false),
            Text(words: words.later, x: 592, y: 88, room: 190, isName: false),
            Text(words: words.back, x: 592, y: 150, room: 190, isName: false),
            Text(words: words.cut[0], x: 592, y: 175, room: 190, isName: false),
            Text(words: words.cut[1], x: 592, y: 192, room: 190, isName: false),
        ]
    }

    private var shapes: [String] {
        let (row, half) = (Self.row, Self.half)
        let rectangles = boxes.map {
            "<rect class=\"box\" x=\"\($0.x)\" y=\"\(row - half)\" width=\"\($0.width)\" height=\"\(2 * half)\" rx=\"8\"/>"
        }
        let cylinders = disks.map { disk in
            let lid = "c0 24 \(disk.width) 24 \(disk.width) 0"
            return
                "<path class=\"disk\" d=\"M\(disk.x) 212v60\(lid)v-60c0-24-\(disk.width)-24-\(disk.width) 0\(lid)\"/>"
        }
        let arrows = [
            "M105 \(row)H150", "M270 \(row)H325", "M400 \(row + half)V193", "M475 100H690", "M690 128H477",
            "M790 \(row + half)V193",
        ].map { "<path class=\"arrow\" d=\"\($0)\"/>" }
        return ["<rect class=\"shop\" x=\"10\" y=\"20\" width=\"490\" height=\"290\" rx=\"10\"/>"]
            + rectangles + cylinders + arrows + ["<path class=\"cut\" d=\"M565 95l36 38M601 95l-36 38\"/>"]
    }

    var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(Self.height)" role="img" \
        aria-labelledby="t d" font-family="system-ui, sans-serif" font-size="15">
        <title id="t">\(words.title)</title>
        <desc id="d">\(words.description)</desc>
        <style>
        \(Self.style)
        </style>
        <defs><marker id="h" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">\
        <path d="M0 0L10 5L0 10z" fill="#444"/></marker></defs>
        \(shapes.joined(separator: "\n"))
        \(texts.map(\.svg).joined(separator: "\n"))
        </svg>

        """
    }

    private static let style = """
        .shop{fill:none;stroke:#999;stroke-dasharray:5 4}.box{fill:#eef4fb;stroke:#3b6ea5;stroke-width:1.5}
        .disk{fill:#f4f0e4;stroke:#8a7a3d;stroke-width:1.5}.cut{stroke:#b33;stroke-width:2.5}
        .arrow{stroke:#444;fill:none;stroke-width:1.8;marker-end:url(#h)}
        .name{fill:#111;font-weight:600;text-anchor:middle}.note{fill:#333;font-size:13px;text-anchor:middle}
        @media (prefers-color-scheme:dark){.box{fill:#1d2b3a;stroke:#7fb0e0}.disk{fill:#35301d;stroke:#d6c47f}
        .arrow{stroke:#bbb}.name{fill:#eee}.note{fill:#ccc}#h path{fill:#bbb}.shop{stroke:#777}.cut{stroke:#f77}}
        """
}
