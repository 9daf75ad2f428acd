internal import AgentAPI
internal import Agent

/// Follows the banner: one task receives the agent's status stream, one waits for the next deadline.
enum BannerFeed {
    /// Calls `show` with every line that is to be seen, a second's step of a countdown included, until the
    /// agent ends or the task is cancelled.
    static func follow(
        _ connection: any AgentConnection, _ watch: BannerWatch, show: @escaping @Sendable (String) -> Void
    ) async {
        let (turns, turn) = AsyncStream.makeStream(of: Turn.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await status in connection.watchStatus() { turn.yield(.status(status)) }
                turn.finish()
            }
            var sleeper: Task<Void, Never>?
            var last = ""
            for await next in turns {
                switch next {
                case .status(let status): _ = watch.take(status)
                case .time: _ = watch.pass()
                }
                let line = [watch.banner, watch.countdown].compactMap(\.self).joined(separator: " · ")
                if line != last { show(line) }
                last = line
                sleeper?.cancel()
                sleeper = watch.wait.map { wait in
                    Task {
                        guard (try? await Task.sleep(for: wait)) != nil else { return }
                        turn.yield(.time)
                    }
                }
            }
            sleeper?.cancel()
            group.cancelAll()
        }
    }

    private enum Turn {
        case status(StatusResponse)
        case time
    }
}
