import Dispatch
import Foundation
import OfflineCore
import Synchronization
import Testing

@testable import Reachability

@Suite("The four ways to follow changes", .timeLimit(.minutes(2)))
struct ListeningTests {
    private let world = ScriptedWorld()

    @Test("each way begins with the present status, however late the listener starts")
    func firstValue() async {
        let monitor = world.monitor()
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        let (byClosure, byDelegate, byNotification) = (Notes<Bool>(), NotingDelegate(), Notes<Bool>())
        let queue = DispatchQueue(label: "listener")
        let closure = monitor.onChange(at: .queue(queue)) { byClosure.add($0.isReachable) }
        monitor.setDelegate(byDelegate, at: .queue(queue))
        let center = NotificationCenter()
        let observer = center.addObserver(
            forName: .reachabilityDidChange, object: monitor, queue: nil
        ) { notification in
            let status = notification.userInfo?[ReachabilityMonitor.statusKey] as? ReachabilityStatus
            byNotification.add(status?.isReachable == true)
        }
        let posting = monitor.postNotifications(through: center, at: .queue(queue))
        var byStream = monitor.statuses().makeAsyncIterator()
        #expect(await byStream.next()?.isReachable == true)
        #expect(
            await eventually {
                byClosure.all == [true] && byDelegate.states == [.reachable] && byNotification.all == [true]
            })
        monitor.stop()
        #expect(await byStream.next() == .notWatched)
        #expect(
            await eventually {
                byClosure.all == [true, false] && byDelegate.states == [.reachable, .unknown]
                    && byNotification.all == [true, false]
            })
        closure.cancel()
        posting.cancel()
        center.removeObserver(observer)
    }

    @Test("callbacks run at the chosen place: a queue, the main actor, an actor, an executor")
    func places() async {
        let monitor = world.monitor()
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "named")
        queue.setSpecific(key: key, value: "named")
        let wasThere = Notes<String>()
        let counter = Counter()
        let executor = NamedExecutor(queue: queue)
        let subscriptions = [
            monitor.onChange(at: .queue(queue)) { _ in
                if DispatchQueue.getSpecific(key: key) == "named" { wasThere.add("queue") }
            },
            monitor.onChange(at: .mainActor) { _ in
                MainActor.assumeIsolated { wasThere.add("main actor") }
            },
            monitor.onChange(at: .actor(counter)) { _ in
                counter.assumeIsolated { $0.count += 1 }
                wasThere.add("actor")
            },
            monitor.onChange(at: .executor(executor)) { _ in
                if DispatchQueue.getSpecific(key: key) == "named" { wasThere.add("executor") }
            },
        ]
        #expect(await eventually { wasThere.all.count == 4 })
        #expect(Set(wasThere.all) == ["queue", "main actor", "actor", "executor"])
        #expect(await counter.count == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("a slow listener is never called twice at the same time and gets the last value")
    func slowListener() async {
        let monitor = world.monitor()
        let reported = Notes<ReachabilityStatus>()
        let (inside, overlaps) = (Tally(), Tally())
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let subscription = monitor.onChange(at: .queue(queue)) { status in
            if inside.add(1) > 1 { overlaps.add(1) }
            Thread.sleep(forTimeInterval: 0.05)
            reported.add(status)
            inside.add(-1)
        }
        for _ in 0..<50 {
            monitor.start()
            monitor.stop()
        }
        monitor.start()
        #expect(await eventually { reported.all.last?.isReachable == true })
        #expect(overlaps.value == 0)
        #expect(reported.all.count < 50)
        subscription.cancel()
    }

    @Test("after a cancellation at its own place no further call begins")
    func cancelled() async {
        let monitor = world.monitor()
        let queue = DispatchQueue(label: "own")
        let reported = Notes<ReachabilityStatus>()
        let subscription = monitor.onChange(at: .queue(queue)) { reported.add($0) }
        #expect(await eventually { reported.all.count == 1 })
        // The next call waits behind this block, which ends the subscription.
        queue.suspend()
        monitor.start()
        queue.async { subscription.cancel() }
        queue.resume()
        _ = await monitor.first { $0.isReachable }
        queue.sync {}
        let count = reported.all.count
        monitor.stop()
        #expect(await eventually { monitor.readerCount == 0 })
        #expect(reported.all.count == count)
    }

    @Test("a released subscription ends; a delegate is kept weakly and may be replaced")
    func released() async {
        let monitor = world.monitor()
        var subscription: ReachabilitySubscription? = monitor.onChange(at: .mainActor) { _ in }
        #expect(monitor.readerCount == 1)
        _ = subscription
        subscription = nil
        #expect(await eventually { monitor.readerCount == 0 })

        let first = NotingDelegate()
        var second: NotingDelegate? = NotingDelegate()
        monitor.setDelegate(first, at: .mainActor)
        #expect(await eventually { first.states == [.unknown] })
        monitor.setDelegate(second, at: .mainActor)
        let isHeard = await eventually { [second] in (second?.states ?? []) == [.unknown] }
        #expect(isHeard)
        weak let gone = second
        second = nil
        #expect(gone == nil)
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        #expect(first.states == [.unknown])
        monitor.setDelegate(nil, at: .mainActor)
        #expect(await eventually { monitor.readerCount == 0 })
    }

    @Test("a callback may stop and start the monitor that calls it")
    func reentrant() async {
        let monitor = world.monitor()
        let restarts = Tally()
        let subscription = monitor.onChange(at: .mainActor) { status in
            guard status.isReachable, restarts.add(1) < 4 else { return }
            monitor.stop()
            monitor.start()
        }
        monitor.start()
        #expect(await eventually { restarts.value == 4 })
        subscription.cancel()
        monitor.stop()
    }
}

/// Keeps the reported states.
final class NotingDelegate: ReachabilityDelegate {
    private let notes = Notes<ReachabilityStatus.State>()
    var states: [ReachabilityStatus.State] { notes.all }

    func reachabilityDidChange(to status: ReachabilityStatus, of monitor: ReachabilityMonitor) {
        notes.add(status.state)
    }
}

/// A number that several threads change.
private final class Tally: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add(_ step: Int) -> Int { number.add(step, ordering: .sequentiallyConsistent).newValue }
}

private actor Counter {
    var count = 0
}

/// Runs tasks on one queue.
private final class NamedExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
