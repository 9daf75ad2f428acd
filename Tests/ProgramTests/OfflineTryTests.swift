import TestKit
import Testing

/// The offline module alone, as `make try` shows it.
@Suite("offline-try", .onStage)
struct OfflineTryTests {
    /// The pictures by their steps, in the order of the script.
    private func pictures(_ script: String) throws -> [(step: String, lines: [String])] {
        let finished = try ProgramUnderTest.run("offline-try", ["--t1", "1", "--script", script])
        #expect(finished.exitCode == 0)
        var pictures: [(step: String, lines: [String])] = []
        for line in finished.output {
            if line.hasPrefix("== ") {
                pictures.append((String(line.dropFirst(3)), []))
            } else {
                pictures[pictures.count - 1].lines.append(line)
            }
        }
        return pictures
    }

    private func kept(in lines: [String]) throws -> Int {
        let match = try #require(lines.compactMap { $0.firstMatch(of: #/(\d+) sent, (\d+) kept/#) }.first)
        return try #require(Int(match.2))
    }

    @Test("Each cause takes it offline and none clears another; the module is notified before and after")
    func causes() throws {
        let pictures = try pictures(
            "m,offline,u,u,m,online,s,offline,s,online,h,offline,h,online,c,offline,m")
        func shows(_ place: Int, _ texts: String...) {
            let text = pictures[place].lines.joined(separator: "\n")
            for expected in texts { #expect(text.contains(expected), "\(pictures[place].step): \(text)") }
        }
        shows(1, "OFFLINE (manual)", "[x] manual flag", "it will go offline: manual")
        shows(5, "ONLINE", "[ ] manual flag", "it is online again")
        // What was kept is sent once it is online.
        shows(9, "ONLINE", " sent, 0 kept")
        #expect(try kept(in: pictures[7].lines) > 0)
        shows(7, "OFFLINE (service)", "[x] service fault", "order is faulty, decided by qos", "[server: 503]")
        shows(11, "OFFLINE (service)", "[backendDown]", " reachable ", "[server: off]")
        shows(15, "OFFLINE (network)", "[x] network fault", "[unreachable]", "--  x  -- [router]")
        shows(16, "OFFLINE (manual, network)", "[x] manual flag", "[x] network fault")
        for state in ["reachable", "suspect", "recovering", "unreachable", "backendDown"] {
            shows(0, state)
        }
        #expect(pictures.allSatisfy { $0.lines.allSatisfy { $0.count <= 78 } && $0.lines.count <= 24 })
    }

    @Test("What is no key and no option ends with the usage, or a failure that names it")
    func refused() throws {
        let wrong = try ProgramUnderTest.run("offline-try", ["--t1", "0"])
        #expect(wrong.exitCode == 2 && wrong.output.first?.hasPrefix("offline-try [--t1 SECONDS]") == true)
        let key = try ProgramUnderTest.run("offline-try", ["--script", "x"])
        #expect(key.exitCode == 1 && key.output.first?.contains("no such key") == true)
        let screen = try ProgramUnderTest.run("offline-try", [])
        #expect(screen.exitCode == 1 && screen.output.first?.contains("no terminal") == true)
    }
}
