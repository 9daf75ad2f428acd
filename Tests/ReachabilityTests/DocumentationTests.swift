import Foundation
import Testing

@testable import Reachability

@Suite("Documentation of Reachability", .timeLimit(.minutes(2)))
struct DocumentationTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let pages = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Embedding/Reachability/Reachability.docc")

    @Test("every code block of every page is part of an example that compiles")
    func blocksCompile() throws {
        let examples = try Self.texts(in: Self.tests.appendingPathComponent("Examples"), ending: ".swift")
        let pages = try Self.texts(in: Self.pages, ending: ".md")
        var blocks = 0
        for (page, text) in pages {
            for block in Self.swiftBlocks(of: text) {
                blocks += 1
                #expect(examples.values.contains { $0.contains(block) }, "\(page) shows:\n\(block)")
            }
        }
        #expect(blocks >= 8)
    }

    @Test("there is a landing page and one for each of the four ways")
    func pages() throws {
        let pages = try Self.texts(in: Self.pages, ending: ".md")
        #expect(
            Set(pages.keys).isSuperset(of: [
                "Reachability.md", "Streams.md", "Closures.md", "Delegates.md", "Notifications.md",
            ]))
    }

    @Test("the examples do what their pages describe")
    @MainActor
    func examplesRun() async throws {
        let world = ScriptedWorld()
        let monitor = world.monitor("https://api.example.com")
        let banner = Banner()
        let following = Task { await banner.follow(monitor) }
        let uploader = Uploader()
        let uploads = Notes<Void>()
        uploader.begin(watching: monitor) { uploads.add(()) }
        await waitUntilReachable(monitor)
        #expect(await canUpload(monitor))
        #expect(await eventually { uploads.all.count == 1 })
        let light = StatusLight()
        light.watch(monitor)
        let reported = Notes<ReachabilityStatus>()
        let observer = observe { reported.add($0) }
        let posting = post(changesOf: monitor)
        #expect(await eventually { reported.all.contains { $0.isReachable } })
        for _ in 0..<1000 where !light.isGreen || banner.text != "online" {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(light.isGreen)
        #expect(banner.text == "online")
        following.cancel()
        uploader.end()
        posting.cancel()
        NotificationCenter.default.removeObserver(observer)
        let group = watchBoth(monitor, world.monitor("https://bank.example"))
        #expect(await group.first { $0.areAllReachable } != nil)
        group.stop()
    }

    private static func texts(in folder: URL, ending: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: try names.filter { $0.hasSuffix(ending) }.map {
                ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
            })
    }

    private static func swiftBlocks(of page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }
}
