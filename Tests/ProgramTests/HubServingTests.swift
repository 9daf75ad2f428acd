import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub serves", .onStage, .serialized)
struct HubServingTests {
    private let hub: HubUnderTest

    init() throws {
        hub = try HubUnderTest()
    }

    @Test("A port that another program listens on is one line with the remedy, before anything starts")
    func portInUse() throws {
        let folder = try TemporaryFolder()
        let address = hub.url.dropFirst("http://".count)
        let end = try ProgramUnderTest.run(
            "pos-hub",
            ["serve", "--listen", "\(address)", "--store", HubUnderTest.store(in: folder), "--json"])
        #expect(end.exitCode == 3)
        #expect(
            end.errors == [
                "pos-hub: cannot listen on \(address): Address already in use; end the program that listens "
                    + "there, or choose another port with --listen"
            ])
        #expect(!FileManager.default.fileExists(atPath: folder.path("hub.sqlite")))
    }

    @Test("SIGTERM ends it well, and its sockets go with it")
    func termination() throws {
        #expect(FileManager.default.fileExists(atPath: hub.folder.path("hub.sqlite.sock")))
        hub.program.terminate()
        #expect(hub.program.exitCode() == 0)
        #expect(!FileManager.default.fileExists(atPath: hub.folder.path("hub.sqlite.sock")))
    }

    @Test("A second hub on the same store is refused with a line and exit code 3")
    func secondHub() throws {
        let second = try ProgramUnderTest.run(
            "pos-hub",
            ["serve", "--listen", "127.0.0.1:0", "--store", HubUnderTest.store(in: hub.folder)])
        #expect(second.exitCode == 3)
        #expect(second.errors.count == 1)
    }
}
