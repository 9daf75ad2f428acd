import Glibc
import HubProtocol
import TestKit
import Testing

/// The checkout on a terminal, which `script` of util-linux makes.
@Suite("The checkout on a terminal", .onStage)
struct TypedCheckoutTests {
    private static let tea = Article.assortment[0].barcode

    /// The checkout in the foreground of a terminal of 80 columns. Behind it come its exit code and the modes
    /// of the terminal.
    private func checkout(in shop: ShopUnderTest) throws -> ProgramUnderTest {
        let command =
            #"stty cols 80; (echo "pid $BASHPID"; eval "exec $TILL"); echo "code $?"; stty -a"#
        shop.tillWrapper = [
            "/bin/bash", "-c",
            #"TILL="$(printf '%q ' "$0" "$@")" exec script -qfec '\#(command)' /dev/null"#,
        ]
        let till = try shop.startProgram("sell", "--plain", with: ["SHELL": "/bin/bash", "TERM": "xterm"])
        shop.tillWrapper = []
        try till.line { $0.contains("barcode, or ?") }
        return till
    }

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    /// Waits for the end with `code`, and whether the terminal is as it was before.
    private func expectEnd(of till: ProgramUnderTest, code: Int) throws {
        try till.line { $0.contains("code \(code)") }
        let modes = try till.line { $0.contains("icanon") }
        #expect(!modes.contains("-icanon"), "\(modes)")
        #expect(modes.contains(" echo "), "\(modes)")
    }

    @Test(
        "A typed line is corrected with arrows, Home, Delete and Backspace, also between Chinese characters")
    func editing() throws {
        let shop = try shop()
        let till = try checkout(in: shop)
        // 7 in front and 8 behind the second digit go again.
        try till.write(line: "7" + Self.tea + "\u{1B}[H\u{1B}[3~\u{1B}[C\u{1B}OC8\u{7F}")
        try till.line { $0.contains("1 x 12.50") }
        try till.write(line: "m 李五四\u{1B}[D\u{7F}")
        try till.line { $0.contains("member 李四: nobody") }
        // Two lines back; the escape key alone and keys without a meaning are no part of the barcode.
        try till.write(line: "\u{1B}[A\u{1B}[A\u{1B}\u{1B}[5~")
        try till.write(line: "total")
        try till.line { $0.contains("total 25.00 CNY") }
        try till.write(line: "pay")
        try till.line { $0.contains("Member 李四") }
        try till.write(line: "q")
        try expectEnd(of: till, code: 0)
        #expect(try shop.orders().map { $0["total"]?["amount"] } == [2500])
    }

    @Test("What is typed stays where a new banner comes between, and lines typed ahead are all taken")
    func banner() throws {
        let shop = try shop()
        let till = try checkout(in: shop)
        try till.write(keys: String(Self.tea.prefix(5)))
        _ = try shop.document("offline", "on", "--reason", "stock-taking")
        try till.line { $0.contains("OFFLINE") }
        try till.write(line: String(Self.tea.dropFirst(5)))
        try till.line { $0.contains("1 x 12.50") }
        try till.write(keys: "\(Self.tea)\n\(Self.tea)\npay\nq\n")
        try expectEnd(of: till, code: 0)
        #expect(try shop.orders().map { $0["total"]?["amount"] } == [3750])
    }

    @Test("A PIN is corrected unseen")
    func pin() throws {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,1234,cashier")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        let till = try checkout(in: shop)
        try till.write(line: "s c1")
        try till.line { $0.contains("s c1") }
        try till.write(line: "12345\u{7F}")
        try till.line { $0.contains("Li (c1, cashier) is signed in") }
        // The arrow keys bring no PIN back.
        try till.write(line: "\u{1B}[A\u{1B}[D\u{1B}[C")
        try till.write(line: "")
        try till.write(line: "q")
        try expectEnd(of: till, code: 0)
        #expect(!till.output.lines.contains { $0.contains("1234") })
    }

    @Test(
        "Equal scans are one line where the store wants it, and the last scan's line is the one that is changed"
    )
    func equalScans() throws {
        let shop = try ShopUnderTest(settings: .hurried.with(["POS_CHECKOUT_EQUAL_SCANS": "together"]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        let till = try checkout(in: shop)
        let other = Article.assortment[1].barcode
        for code in [Self.tea, other, Self.tea] { try till.write(line: code) }
        try till.line { $0.contains("2 x 12.50") }
        try till.write(line: "*3")
        try till.line { $0.contains("3 x 12.50") }
        try till.write(line: "pay")
        try till.write(line: "q")
        try expectEnd(of: till, code: 0)
        #expect(try shop.orders().map { $0["lines"]?.array?.map { $0["quantityMilli"] } } == [[3000, 1000]])
    }

    @Test("A PIN that is entered as a code is hidden in its row, in the refusal and from the arrow keys")
    func pinAsCode() throws {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,1234,cashier")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        let till = try checkout(in: shop)
        try till.write(line: "280613")
        let refusal = try till.line { $0.contains("No article has") }
        #expect(refusal.contains("••••") && !refusal.contains("280613"), "\(refusal)")
        // The row above is written again, without the digits.
        let row = try #require(till.output.lines.first { $0.contains("\u{1B}[A") })
        #expect(row.contains("••••") && row.split(separator: "\u{1B}[A").last?.contains("280613") == false)
        let before = till.output.lines.count
        try till.write(line: "\u{1B}[A")
        try till.write(line: "s")
        try till.line { $0.contains("nobody is signed in") || $0.contains("Nobody") }
        #expect(!till.output.lines.dropFirst(before).contains { $0.contains("280613") })
        try till.write(line: "q")
        try expectEnd(of: till, code: 0)
    }

    @Test("The terminal is as it was before after Control-C, Control-D and signals that end the program")
    func restored() throws {
        let shop = try shop()
        for key in ["\u{3}", "\u{4}"] {
            let till = try checkout(in: shop)
            try till.write(keys: key)
            try expectEnd(of: till, code: 0)
        }
        for signal in [SIGTERM, SIGHUP] {
            let till = try checkout(in: shop)
            let line = try till.line { $0.contains("pid ") }
            let digits = line.drop { !$0.isNumber }.prefix { $0.isNumber }
            let pid = try #require(pid_t(digits))
            kill(pid, signal)
            try expectEnd(of: till, code: 128 + Int(signal))
        }
    }
}
