public import Base

/// Runs `work` against a deadline: returns its value, or nil when `deadline` came first or the caller was
/// cancelled.
///
/// The wait is bounded, also for work that ignores cancellation: that work runs on without a waiter. The work
/// runs in a task of its own, and so does the clock; where neither is affordable,
/// ``waiting(until:on:isolation:_:expire:)`` waits in the caller's task.
///
/// - Parameters:
///   - cancels: whether the work is cancelled when nobody waits for it any more. Default true; false for a
///     request whose outcome is needed all the same.
///   - time: the clock of `deadline`.
/// - Throws: what `work` throws in time.
public func withDeadline<Value: Sendable, Failure: Error>(
    _ deadline: Instant, on time: any SystemTime, cancels: Bool = true,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    // The first of the two ends the stream; what the other one says is dropped.
    let (results, first) = AsyncStream.makeStream(of: Result<Value, Failure>.self)
    let worker = Task {
        do throws(Failure) {
            first.yield(.success(try await work()))
        } catch {
            first.yield(.failure(error))
        }
        first.finish()
    }
    let clock = Task {
        try? await time.sleep(until: deadline)
        first.finish()
    }
    defer {
        clock.cancel()
        if cancels { worker.cancel() }
    }
    // A cancelled caller gets the end of the stream at once.
    for await result in results { return try result.get() }
    return nil
}

/// Runs `work` until `deadline`, and returns once the work has ended: at the deadline, and when the caller is
/// cancelled, it is cancelled and waited for.
///
/// For work on something that is used again afterwards: a descriptor with one waiter at a time, a sequence
/// with one reader. Work that ignores cancellation is waited for all the same.
///
/// - Parameter time: the clock of `deadline`.
/// - Returns: the work's value; nil when the deadline came first.
/// - Throws: what `work` throws in time.
public func untilDeadline<Value: Sendable, Failure: Error>(
    _ deadline: Instant, on time: any SystemTime,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
    let first = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
        group.addTask {
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        group.addTask {
            try? await time.sleep(until: deadline)
            return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
    return try first?.get()
}

/// Waits in `wait`, and calls `expire` when `deadline` comes before it returns; `expire` is to end the wait.
///
/// For an owner that holds the waiter itself, an actor with a list of continuations for example: the wait
/// stays in the caller's task.
///
/// - Parameters:
///   - time: the clock of `deadline`.
///   - wait: ends when `expire` was called. Cancellation is its own concern.
///   - expire: called at most once, in a task of its own.
public func waiting<Value>(
    until deadline: Instant, on time: any SystemTime, isolation: isolated (any Actor)? = #isolation,
    _ wait: () async -> Value, expire: @escaping @Sendable () async -> Void
) async -> Value {
    let clock = Task {
        guard (try? await time.sleep(until: deadline)) != nil else { return }
        await expire()
    }
    defer { clock.cancel() }
    return await wait()
}
