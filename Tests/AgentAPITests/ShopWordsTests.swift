import AgentAPI
import Testing

@Suite("The words of a shop")
struct ShopWordsTests {
    @Test(
        "hub, terminal, agent and mutation are replaced as words alone, and not within a command",
        arguments: [
            ("the hub does not answer", "head office does not answer"),
            ("The hub refuses it", "Head office refuses it"),
            ("Without the hub, at the hub's", "Without head office, at head office's"),
            ("This terminal's catalogue", "This till's catalogue"), ("terminals", "tills"),
            ("the agent is gone", "the till's service is gone"),
            ("a mutation, two mutations", "a record, two records"),
            ("`pos-hub terminals list` at the hub", "`pos-hub terminals list` at head office"),
            ("pos-hub, terminal.json", "pos-hub, terminal.json"), ("github", "github"), ("总部没有应答", "总部没有应答"),
        ])
    func words(text: String, shown: String) {
        #expect(ShopWords.text(text) == shown)
    }

    @Test("full-width digits and signs are ASCII, everything else stays")
    func halfWidth() {
        #expect("１２＊ＡＢ：０．５，茶 x".halfWidth == "12*AB:0.5,茶 x")
        #expect("6900000000017".halfWidth == "6900000000017")
    }
}
