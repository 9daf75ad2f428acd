import Foundation
import Logging
import OfflineCore
import TestKit
import Testing

@testable import Agent

@Suite("The file of learned silences")
struct SilencesFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: SilencesFile {
        SilencesFile(
            home: TerminalHome(path: folder.url.path),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("What was kept is found again; nothing is nothing")
    func roundTrip() throws {
        #expect(file.load() == SilenceMemory())
        let memory = try #require(SilenceMemory(silences: [4_000, 17_500], returns: [600_000]))
        file.save(memory)
        #expect(file.load() == memory)
    }

    @Test(
        "A corrupt file is read as an empty one",
        arguments: [
            "", "{", "[]", #"{"silencesMs":[1]}"#, #"{"silencesMs":[-1],"returnsMs":[]}"#,
            #"{"silencesMs":["x"],"returnsMs":[]}"#, #"{"silencesMs":[1.5],"returnsMs":[]}"#,
            "{\"silencesMs\":[\([String](repeating: "5000", count: 33).joined(separator: ","))],\"returnsMs\":[]}",
        ])
    func corrupt(text: String) throws {
        try text.write(toFile: folder.path("silences.json"), atomically: true, encoding: .utf8)
        #expect(file.load() == SilenceMemory())
    }
}
