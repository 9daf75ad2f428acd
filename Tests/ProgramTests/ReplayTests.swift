import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// What a real agent recorded, through `pos replay`.
@Suite("Replay of a real recording", .onStage, .serialized)
struct ReplayTests {
    @Test(
        "A recorded outage replays bit for bit, with other settings beside it, and a changed value is found")
    func recordedOutage() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.relay?.setMode(.silentBlackhole)
        try shop.waitUntil("offline", within: 25) { $0.causes.contains("network") }
        shop.relay?.setMode(.open)
        try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        // Beside the running agent: a replay needs no agent and delays none.
        let document = try shop.document("replay", "--sweep", "network.debounceSeconds=1,60")
        #expect(document["identical"]?.bool == true)
        #expect(document["runs"]?.integer ?? 0 >= 1)
        #expect(document["decisions"]?.integer ?? 0 > 5)
        let lives = document["comparison"]?["lives"]?.array ?? []
        #expect(
            lives.compactMap { $0["name"]?.string }
                == ["recorded", "asked anew", "debounceSeconds=1", "debounceSeconds=60"])
        #expect(lives.first?["switches"]?.integer == 2)
        #expect(lives.last?["switches"]?.integer == 0)
        #expect(lives.first?["deadShownOnlineMs"]?.integer ?? 0 > 2_000)
        #expect(shop.killAgentAndReplay() == 0)
        try shop.changeRecording("switch:offline:network", to: "switch:offline:manual")
        let changed = try shop.pos("replay")
        #expect(changed.exitCode == 1)
        #expect(changed.text.contains("recorded"))
        #expect(changed.text.contains("switch:offline:manual"))
    }

    @Test("A link recording shows both figures for each setting, and draws them")
    func linkRecording() throws {
        let folder = try TemporaryFolder()
        let rows = [
            "t_ms,up,rtt_ms,loss,bw_kbps,note", "0,1,40,,,", "100000,0,,,,", "160000,1,,,,",
            "600000,1,,,,end",
        ]
        let link = folder.path("link.csv")
        try rows.joined(separator: "\n").write(toFile: link, atomically: true, encoding: .utf8)
        let arguments = ["replay", "--link", link, "--sweep", "network.debounceSeconds=3,15"]
        let end = try ProgramUnderTest.run(
            "pos", arguments + ["--svg", folder.path("chart.svg"), "--json"], environment: [:])
        #expect(end.exitCode == 0)
        let lives = try end.document()["links"]?.array?.first?["comparison"]?["lives"]?.array ?? []
        let dead = lives.compactMap { $0["deadShownOnlineMs"]?.integer }
        #expect(dead.count == 2 && (dead.last ?? 0) - (dead.first ?? 0) > 9_000)
        #expect(lives.allSatisfy { $0["falseOfflineMs"]?.integer ?? 0 > 5_000 })
        let chart = try String(contentsOfFile: folder.path("chart.svg"), encoding: .utf8)
        #expect(chart.contains("</svg>"))
    }

    @Test("Without the program beside it that replays, the message names what to install")
    func withoutLaboratory() throws {
        let folder = try TemporaryFolder()
        let alone = folder.path("pos")
        // A copy, since a program finds its neighbours by where its own file is. `cp` writes it: a file that
        // this process had open for writing could be open in a child of another test as well, and no program
        // starts from a file that somebody may write ("Text file busy").
        let program = ProgramUnderTest.directory.appendingPathComponent("pos").path
        try #require(try Command.finish(["/bin/cp", program, alone]).code == 0)
        for command in ["replay", "demo"] {
            let end = try Command.finish([alone, command])
            #expect(end.code == 3)
            #expect(end.errors.contains("`pos \(command)` needs \(folder.path("pos-lab"))"))
            #expect(end.errors.contains("swift build --product pos-lab"))
        }
    }

    @Test(
        "What cannot be replayed is refused by name",
        arguments: [
            (["--link", "/nonexistent.csv"], 2, "cannot read /nonexistent.csv"),
            (["--link", "x.csv.gz"], 2, "gunzip -k x.csv.gz"),
            (["--set", "network.debounceSeconds=0"], 2, "from 1 to 120 s"),
            (["/nonexistent.log"], 2, "cannot read /nonexistent.log"),
            (["/etc/passwd"], 3, "is it a flight recording"),
            (["--home", "/nonexistent"], 3, "`pos agent` makes one"),
        ] as [([String], Int32, String)])
    func refusals(arguments: [String], code: Int32, words: String) throws {
        let end = try ProgramUnderTest.run("pos", ["replay"] + arguments, environment: [:])
        #expect(end.exitCode == code)
        #expect(end.errors.joined(separator: " ").contains(words))
    }
}

extension ShopUnderTest {
    /// Kills the agent amidst its recording; the exit code of a replay after that.
    fileprivate func killAgentAndReplay() -> Int32? {
        killAgent()
        return try? pos("replay").exitCode
    }

    fileprivate func changeRecording(_ word: String, to other: String) throws {
        let path = home + "/flight.log"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing(word, with: other, maxReplacements: 1)
            .write(toFile: path, atomically: true, encoding: .utf8)
    }
}
