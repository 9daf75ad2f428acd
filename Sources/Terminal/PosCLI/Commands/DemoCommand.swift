internal import ArgumentParser
internal import Agent

/// `pos demo`: the whole story on loopback in under a minute; exit 1 if any of it did not happen.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "The whole story on loopback in under a minute.")

    func run() async throws {
        let timeline = DemoTimeline()
        let stage = try DemoStage()
        do {
            try await DemoStory(stage: stage, timeline: timeline).play()
        } catch {
            await stage.strike()
            throw error
        }
        await stage.strike()
        guard timeline.failures.isEmpty else {
            throw TerminalError(
                .refused, code: "demo_failed",
                "\(timeline.failures.count) of the demo did not happen: \(timeline.failures.joined(separator: "; "))"
            )
        }
    }
}
