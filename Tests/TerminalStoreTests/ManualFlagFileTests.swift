import OfflineCore
import TerminalStore
import Testing

@Suite("The manual flag's file")
struct ManualFlagFileTests {
    private let flag = ManualFlag(since: 1_795_234_567_123, by: "陈", reason: "路由器 \"rebooting\"\n")

    @Test("what was saved is there after a restart, and gone after it was taken back")
    func roundTrip() async throws {
        let home = try TemporaryHome()
        #expect(ManualFlagFile(home: home.path).load() == .absent)
        try await ManualFlagFile(home: home.path).save(flag)
        #expect(ManualFlagFile(home: home.path).load() == .set(flag))
        try await ManualFlagFile(home: home.path).save(ManualFlag(since: 5, by: nil, reason: nil))
        #expect(ManualFlagFile(home: home.path).load() == .set(ManualFlag(since: 5, by: nil, reason: nil)))
        try await ManualFlagFile(home: home.path).save(nil)
        #expect(ManualFlagFile(home: home.path).load() == .absent)
        #expect(try home.names().isEmpty)
    }

    @Test("cut at any byte it is corrupt, never absent")
    func cut() async throws {
        let home = try TemporaryHome()
        let file = ManualFlagFile(home: home.path)
        try await file.save(flag)
        let whole = try home.read("manual-offline.json")
        // The last byte is a line feed; without it the document is still complete.
        for length in 0..<(whole.count - 1) {
            try home.write(Array(whole.prefix(length)), to: "manual-offline.json")
            guard case .corrupt = file.load() else {
                Issue.record("cut to \(length) bytes it is \(file.load())")
                continue
            }
        }
    }

    @Test("a corrupt file keeps the till offline and is kept in quarantine when a person ends that")
    func quarantine() async throws {
        let home = try TemporaryHome()
        let file = ManualFlagFile(home: home.path)
        try home.write(Array("<html>".utf8), to: "manual-offline.json")
        guard case .corrupt(let detail) = file.load() else {
            Issue.record("a web page is a flag")
            return
        }
        #expect(detail.contains("manual-offline.json"))
        try await file.save(nil)
        #expect(file.load() == .absent)
        #expect(try home.read("quarantine/manual-offline.json.1") == Array("<html>".utf8))
        #expect(try home.names() == ["quarantine"])
    }

    @Test("set over a corrupt file, the corrupt one is kept and there is never a moment without a flag")
    func setOverCorrupt() async throws {
        let home = try TemporaryHome()
        let file = ManualFlagFile(home: home.path)
        try home.write([0], to: "manual-offline.json")
        try await file.save(flag)
        #expect(file.load() == .set(flag))
        #expect(try home.read("quarantine/manual-offline.json.1") == [0])
    }

    @Test("a folder in its place is corrupt, and a folder that is gone refuses to save")
    func unusable() async throws {
        let home = try TemporaryHome()
        try home.makeFolder("manual-offline.json")
        guard case .corrupt = ManualFlagFile(home: home.path).load() else {
            Issue.record("a folder is a flag")
            return
        }
        let nowhere = ManualFlagFile(home: home.path + "/nowhere")
        await #expect(throws: (any Error).self) { try await nowhere.save(flag) }
    }
}
