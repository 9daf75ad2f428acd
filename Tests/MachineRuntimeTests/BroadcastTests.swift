import MachineRuntime
import Synchronization
import Testing

@Suite("A broadcast", .timeLimit(.minutes(1)))
struct BroadcastTests {
    private final class Seen: Sendable {
        private let values = Mutex<[Int]>([])
        var all: [Int] { values.withLock { $0 } }
        func add(_ value: Int) { values.withLock { $0.append(value) } }
    }

    @Test("a stream begins with the present value, and a slow reader gets the newest one")
    func streams() async {
        let broadcast = Broadcast(1)
        var reader = broadcast.stream().makeAsyncIterator()
        #expect(await reader.next() == 1)
        for value in 2...5 { broadcast.publish(value) }
        #expect(await reader.next() == 5)
        #expect(broadcast.current == 5)
    }

    @Test("a stream from now on leaves the present value out")
    func later() async {
        let broadcast = Broadcast(1)
        var reader = broadcast.stream(beginsWithCurrent: false).makeAsyncIterator()
        broadcast.publish(2)
        #expect(await reader.next() == 2)
    }

    @Test("what is not new reaches nobody; what counts as new is the broadcast's own rule")
    func news() {
        let seen = Seen()
        let plain = Broadcast(1)
        _ = plain.listen(seen.add)
        for value in [1, 2, 2, 1] { plain.publish(value) }
        #expect(seen.all == [2, 1])
        let all = Seen()
        let every = Broadcast(1) { _, _ in true }
        _ = every.listen(all.add)
        for value in [1, 2, 2] { every.publish(value) }
        #expect(all.all == [1, 2, 2])
    }

    @Test(
        "closures are called in the order in which they came, until they are ignored; a greeting is for one")
    func closures() {
        let seen = Seen()
        let broadcast = Broadcast(0)
        let first = broadcast.listen { seen.add($0 * 10) }
        let second = broadcast.listen { seen.add($0 * 100) }
        broadcast.publish(1)
        broadcast.greet(second)
        broadcast.ignore(first)
        broadcast.greet(first)
        broadcast.update { $0 += 1 }
        #expect(seen.all == [10, 100, 100, 200])
    }

    @Test("the value is in place before a closure hears of it")
    func currentFirst() {
        let seen = Seen()
        let broadcast = Broadcast(0)
        _ = broadcast.listen { [weak broadcast] _ in seen.add(broadcast?.current ?? -1) }
        broadcast.publish(7)
        #expect(seen.all == [7])
    }

    @Test("every stream ends with the broadcast, and one that is opened after the end has the last value")
    func end() async {
        let broadcast = Broadcast(1)
        var open = broadcast.stream().makeAsyncIterator()
        broadcast.finish()
        #expect(await open.next() == 1)
        #expect(await open.next() == nil)
        var late = broadcast.stream().makeAsyncIterator()
        #expect(await late.next() == 1)
        #expect(await late.next() == nil)
        var orphan = Broadcast(2).stream().makeAsyncIterator()
        #expect(await orphan.next() == 2)
        #expect(await orphan.next() == nil)
    }

    @Test("a reader that goes away is forgotten")
    func readers() async {
        let broadcast = Broadcast(1)
        let reader = Task { for await _ in broadcast.stream() {} }
        reader.cancel()
        await reader.value
        #expect(broadcast.readerCount == 0)
    }
}
