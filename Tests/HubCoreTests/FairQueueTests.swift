import HubCore
import Testing

@Suite("FairQueue")
struct FairQueueTests {
    /// Jobs are drawn as letters of their senders.
    private func drained(_ queue: inout FairQueue<Character, Character>) -> String {
        var order = ""
        while let job = queue.next() { order.append(job) }
        return order
    }

    @Test("Senders take turns, however many jobs one of them has")
    func rounds() {
        var queue = FairQueue<Character, Character>(perSender: 10, inAll: 100)
        for sender in "aaaabbc" { _ = queue.add(sender, of: sender) }
        #expect(drained(&queue) == "abcabaa")
        #expect(queue.count == 0)
    }

    @Test("A newcomer waits for one job of each other sender")
    func newcomer() {
        var queue = FairQueue<Character, Character>(perSender: 10, inAll: 100)
        for _ in 0..<9 { _ = queue.add("a", of: "a") }
        _ = queue.next()
        _ = queue.add("b", of: "b")
        #expect(drained(&queue) == "abaaaaaaa")
    }

    @Test("The limits of a sender and of the queue hold: one more is refused, and room comes back")
    func limits() {
        var queue = FairQueue<Character, Character>(perSender: 2, inAll: 3)
        let added = "aaabc".map { queue.add($0, of: $0) }
        #expect(added == [true, true, false, true, false])
        #expect(queue.count == 3)
        let first = queue.next()
        let late = queue.add("c", of: "c")
        #expect(first == "a" && late)
        #expect(drained(&queue) == "bac")
        #expect(queue.count == 0)
    }
}
