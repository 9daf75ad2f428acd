import HubProtocol
import Testing

@Suite("Mistyped commands")
struct CommandNamesTests {
    private let program = CommandNames(
        "pos",
        [
            CommandNames("sell"), CommandNames("status"),
            CommandNames("note", [CommandNames("add")], takesOtherWords: true),
            CommandNames("orders", [CommandNames("list"), CommandNames("show")]), CommandNames("products"),
        ])

    @Test(
        "the command that was meant is named, and none where every word is one or none is near",
        arguments: [
            ("sel", "`pos sell`"), ("stauts", "`pos status`"), ("SELL", "`pos sell`"),
            ("orders lst", "`pos orders list`"), ("ordres list", "`pos orders`"), ("prod", "`pos products`"),
        ])
    func meant(line: String, command: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(program.advice(on: words)?.text.hasSuffix("did you mean \(command)?") == true)
    }

    @Test(
        "a word that is near to none lists the few commands that there are, unless it may be an argument",
        arguments: [
            ("foo", "there is no command `pos foo`; there are: sell, status, note, orders, products"),
            ("note milk", nil), ("sell x", nil), ("orders list x", nil), ("--json foo", nil), ("", nil),
        ] as [(String, String?)])
    func others(line: String, advice: String?) {
        #expect(program.advice(on: line.split(separator: " ").map(String.init))?.text == advice)
    }
}
