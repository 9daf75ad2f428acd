extension Shop {
    /// A till of the shop, with an agent when it has been started.
    final class Till {
        let home: String
        private let pos: String
        private let log: String
        private var agent: BuiltProgram?

        init(home: String, pos: String, log: String) {
            self.home = home
            self.pos = pos
            self.log = log
        }

        /// Starts a command of this till without waiting for its end.
        func start(_ arguments: [String]) throws(BenchFailure) -> BuiltProgram {
            try BuiltProgram(pos, arguments + ["--json", "--home", home], log: log)
        }

        func startAgent() throws(BenchFailure) {
            let agent = try BuiltProgram(pos, ["agent", "--home", home], log: log)
            guard try agent.readLine() == "ready" else { throw agent.failure("it is not ready") }
            self.agent = agent
        }

        func stopAgent() {
            agent?.stop()
            agent = nil
        }
    }

    /// Sells so many baskets offline at each of `tills`, at all of them at once.
    func fill(_ tills: [Till], _ orders: Int) throws(BenchFailure) {
        var streams: [SaleStream] = []
        for till in tills {
            _ = try till.start(["offline", "on"]).finish()
            streams.append(SaleStream(try till.start(["sell", "--stdin"])))
        }
        for _ in 0..<orders {
            for stream in streams { try stream.query() }
            for stream in streams { _ = try stream.response() }
        }
        for stream in streams { try stream.end() }
    }

    /// Runs a command on several tills at once, to the end of the last.
    func together(_ tills: [Till], _ arguments: [String]) throws(BenchFailure) {
        var commands: [BuiltProgram] = []
        for till in tills { commands.append(try till.start(arguments)) }
        for command in commands { _ = try command.finish() }
    }
}
