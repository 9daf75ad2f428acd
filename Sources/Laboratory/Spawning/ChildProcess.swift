internal import Glibc

/// A started child process, with this side's ends of its pipes.
///
/// Started by `posix_spawn` and not by Foundation's `Process`, which rarely crashes in `run` (a copy from
/// memory that is not its own) and whose children inherit the signal mask of the queue's thread that started
/// them. A child begins with no signal blocked and SIGPIPE as the system has it; it inherits no descriptor
/// but its standard streams.
package struct ChildProcess: Sendable {
    /// Where a standard stream of the child is connected.
    package enum Stream: Hashable, Sendable {
        /// `/dev/null`.
        case nothing
        /// A pipe; its other end belongs to this side.
        case pipe
        /// Appends to a file, which is created for its owner only where it does not exist.
        case file(String)
        /// An open descriptor of this process, a terminal for example; it stays this side's to close.
        case descriptor(Int32)
    }

    /// The process id. It belongs to the child until its end was waited for.
    package let pid: Int32
    /// The end of the pipe that writes to the child, to be closed by its owner; nil where there is none.
    /// Likewise ``output`` and ``errors``, which read.
    package let input: Int32?
    /// The end of the pipe from the child's standard output, to be closed by its owner; nil where there is
    /// none.
    package let output: Int32?
    /// The end of the pipe from the child's standard error, to be closed by its owner; nil where there is
    /// none.
    package let errors: Int32?

    /// Starts `path`, searched in `PATH` when it names no folder.
    ///
    /// - Parameters:
    ///   - environment: nil: this process's own.
    ///   - folder: where it starts; nil: where this process is.
    /// - Throws: ``SpawnError`` when it could not be started.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        folder: String? = nil, input: Stream = .nothing, output: Stream = .nothing, errors: Stream = .nothing
    ) throws(SpawnError) {
        var plan = SpawnPlan()
        self.input = try plan.lead(STDIN_FILENO, to: input)
        self.output = try plan.lead(STDOUT_FILENO, to: output)
        self.errors = try plan.lead(STDERR_FILENO, to: errors)
        if let folder { plan.change(to: folder) }
        let variables = (environment ?? Self.ownEnvironment).map { "\($0.key)=\($0.value)" }
        pid = try plan.start(path, arguments, variables)
    }

    package static var ownEnvironment: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}

/// Why a program could not be started.
package struct SpawnError: Error, Equatable, CustomStringConvertible {
    /// The program as it was given to ``ChildProcess``, or the call that failed before it: `pipe`, for
    /// example.
    package let path: String
    /// The system's `errno`.
    package let code: Int32

    /// Makes an error; `code` is an `errno`.
    package init(path: String, code: Int32) {
        self.path = path
        self.code = code
    }

    /// One line for a person, with the system's text for ``code``.
    package var description: String { "\(path) could not be started: \(String(cString: strerror(code)))" }
}
