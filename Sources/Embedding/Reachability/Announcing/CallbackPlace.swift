public import Dispatch

/// Where callbacks run. There is no default: the caller chooses the place.
///
/// A place runs one callback of a subscription after the other, also where it is a concurrent queue.
public struct CallbackPlace: Sendable {
    private let perform: @Sendable (_ body: @escaping @Sendable () -> Void) async -> Void

    private init(_ perform: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) async -> Void) {
        self.perform = perform
    }

    /// A dispatch queue, the main queue included.
    ///
    /// The main queue is served only by programs that run a main loop or `dispatchMain()`.
    public static func queue(_ queue: DispatchQueue) -> CallbackPlace {
        CallbackPlace { body in
            await withCheckedContinuation { continuation in
                queue.async {
                    body()
                    continuation.resume()
                }
            }
        }
    }

    /// An actor, inside its isolation: `MainActor.assumeIsolated` holds in callbacks on ``mainActor``, and
    /// `assumeIsolated` of the actor in callbacks on an actor.
    public static func actor(_ actor: any Actor) -> CallbackPlace {
        CallbackPlace { body in await Self.perform(body, on: actor) }
    }

    /// The main actor.
    public static let mainActor = CallbackPlace.actor(MainActor.shared)

    /// A task executor.
    public static func executor(_ executor: any TaskExecutor) -> CallbackPlace {
        CallbackPlace { body in
            await withTaskExecutorPreference(executor) { await Self.performUnisolated(body) }
        }
    }

    /// Runs `body` there and returns after it.
    func run(_ body: @escaping @Sendable () -> Void) async {
        await perform(body)
    }

    private static func perform(_ body: @Sendable () -> Void, on actor: isolated any Actor) {
        body()
    }

    @concurrent
    private static func performUnisolated(_ body: @Sendable () -> Void) async {
        body()
    }
}
