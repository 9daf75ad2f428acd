public import MachineRuntime
public import Agent

/// The program's one loop: its main thread runs it, and every task runs on it.
public enum ProgramLoop {
    private static let made = Result { () throws(EventLoopError) in try EventLoop() }

    /// The loop, made by the first call.
    ///
    /// - Throws: kind `tryAgain` when the system had no descriptors left for it.
    public static func get() throws(TerminalError) -> EventLoop {
        do {
            return try made.get()
        } catch {
            throw TerminalError(
                .tryAgain, code: "no_resources", "\(error.call) failed with error \(error.code); try again")
        }
    }
}
