import Foundation
import Glibc
import TestKit
import Testing

/// The example of the Reachability library, from outside.
@Suite("reachability-watch", .onStage, .serialized)
struct ReachabilityWatchTests {
    @Test("It checks once and reports by its exit code whether everything is reachable")
    func once() throws {
        let server = try ScriptedServer()
        server.on("/", .whole(204, type: nil, body: ""))
        let good = try ProgramUnderTest.run("reachability-watch", ["--once", server.url + "/"])
        #expect(good.exitCode == 0)
        #expect(good.text.hasPrefix("\(server.url)/ reachable transport="))
        let bad = try ProgramUnderTest.run(
            "reachability-watch", ["--once", server.url + "/", "http://127.0.0.1:1"])
        #expect(bad.exitCode == 1)
        #expect(bad.output.last?.hasPrefix("http://127.0.0.1:1 unreachable reason=connectionFailed") == true)
        let down = try ProgramUnderTest.run(
            "reachability-watch", ["--once", "--internet", server.url + "/"])
        #expect(down.text.hasPrefix("internet reachable"))
    }

    @Test("A wrong command line ends with 64 and an address that is none with 78")
    func refused() throws {
        #expect(try ProgramUnderTest.run("reachability-watch", ["--sometimes"]).exitCode == 64)
        #expect(try ProgramUnderTest.run("reachability-watch", ["--for", "soon"]).exitCode == 64)
        #expect(try ProgramUnderTest.run("reachability-watch", ["--debounce", "900"]).exitCode == 78)
        #expect(try ProgramUnderTest.run("reachability-watch", ["a b"]).exitCode == 78)
        #expect(try ProgramUnderTest.run("reachability-watch", ["--help"]).exitCode == 0)
    }

    @Test(
        "A cable that is cut and repaired is reported with its reason, through real kernel events",
        .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
    func cable() throws {
        let (near, far) = (try NetworkNamespace("near"), try NetworkNamespace("far"))
        try near.connect("near0", "10.217.68.1/24", to: far, "far0", "10.217.68.2/24")
        let server = try WebServer(in: far)
        defer { server.stop() }
        let watch = try ProgramUnderTest(
            "reachability-watch", ["http://10.217.68.2:8080", "--debounce", "2"],
            behind: near.argumentsToRun([]))
        try watch.line(within: 20) { $0.contains(" reachable transport=ethernet") }
        try far.setLink("far0", up: false)
        try watch.line(within: 20) { $0.contains(" reachable reason=noInterface") }
        let cut = try watch.line(within: 20) { $0.contains(" offline reason=noInterface") }
        try far.setLink("far0", up: true)
        try watch.line(within: 40) { line in
            line.contains(" reachable transport=") && Self.seconds(of: line) > Self.seconds(of: cut)
        }
        watch.terminate()
        #expect(watch.exitCode() == 128 + SIGTERM)
    }

    /// When a line was announced.
    private static func seconds(of line: String) -> Double {
        line.split(separator: " ").first.flatMap { Double($0) } ?? 0
    }
}

/// A web server in a namespace; `python3` serves an empty folder. It ends with this object.
private final class WebServer {
    private let program: ProgramUnderTest
    private let folder: TemporaryFolder

    init(in namespace: NetworkNamespace) throws {
        folder = try TemporaryFolder()
        program = try ProgramUnderTest(
            command: namespace.argumentsToRun([
                "python3", "-m", "http.server", "8080", "--directory", folder.path(""),
            ]))
    }

    func stop() { program.kill() }
}
