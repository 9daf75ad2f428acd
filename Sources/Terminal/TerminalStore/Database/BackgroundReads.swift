/// Where the reads of a task run that makes a list, a report or an export: beside sales, which never wait for
/// them.
///
/// The connection that writes has one queue, and a read on it holds up every sale behind it. Inside
/// ``around(_:)`` each read of a ``TerminalDatabase`` goes to a connection of its own that can only read. It
/// sees every transaction that was committed before it.
package struct BackgroundReads: Sendable {
    /// Where the reads of the present task run; nil: on the connection that writes, before the next write.
    @TaskLocal static var current: BackgroundReads?

    /// Runs one read.
    let perform: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Makes the place for reads; ``around(_:)`` uses it.
    ///
    /// - Parameter perform: runs a read, one at a time and in their order; it may take some milliseconds, so
    ///   it must not be a thread that sales need.
    package init(_ perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.perform = perform
    }

    /// Runs `body`, all of whose reads are such reads, also those of the tasks that it makes.
    package func around<Value>(_ body: () async -> Value) async -> Value {
        await Self.$current.withValue(self) { await body() }
    }
}
