internal import Glibc

/// The yardstick of an idle program: one task of Swift's concurrency, and nothing more to do.
///
/// Its own wake-ups are those of the runtime: once its pool of threads was used, libdispatch looks after it
/// every second.
enum IdleProgram {
    static let arguments = ["--do-nothing"]

    /// Waits to be ended.
    static func run() -> Never {
        Task.detached {
            print("ready"); fflush(nil)
        }
        while true { pause() }
    }
}
