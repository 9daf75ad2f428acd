import Base

internal import Spawning

/// Runs programs without the settings of the person who runs the benchmark.
enum ProgramRun {
    /// - Parameter log: where its standard error goes.
    static func start(
        _ path: String, _ arguments: [String], input: ChildProcess.Stream = .nothing,
        output: ChildProcess.Stream = .nothing, log: String
    ) throws(BenchFailure) -> ChildProcess {
        do throws(SpawnError) {
            return try ChildProcess(
                path, arguments, environment: environment, input: input, output: output, errors: .file(log))
        } catch {
            throw .system(call: "posix_spawn \(path)", code: error.code)
        }
    }

    /// What a whole run costs, in nanoseconds: from its start to its end, and on the core.
    static func time(
        _ path: String, _ arguments: [String], log: String
    ) throws(BenchFailure) -> (wall: Int64, busy: Int64) {
        let start = Stopwatch.now()
        let ending = try Self.start(path, arguments, log: log).wait()
        let wall = Stopwatch.now() - start
        guard let ending, ending.code == 0 else {
            throw .programFailed(
                name: path, detail: "it ended with \(ending?.code ?? -1)",
                lastErrors: TextFile.lastLine(of: log))
        }
        return (wall, ending.busy)
    }

    private static let environment = ChildProcess.ownEnvironment.filter { !$0.key.hasPrefix("POS_") }
}
