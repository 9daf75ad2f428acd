import Base
import OfflineCore

/// A queue of simulated events, the earliest first; those of one moment in the order in which they were
/// added. A binary heap.
struct Agenda<Item> {
    private struct Entry {
        let at: Instant
        let number: Int
        let item: Item

        func comes(before other: Entry) -> Bool { (at, number) < (other.at, other.number) }
    }

    private var heap: [Entry] = []
    private var added = 0

    mutating func add(_ item: Item, at moment: Instant) {
        heap.append(Entry(at: moment, number: added, item: item))
        added += 1
        var child = heap.count - 1
        while child > 0, heap[child].comes(before: heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (item: Item, at: Instant)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.item, first.at)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].comes(before: heap[smallest]) { smallest = child }
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

extension Instant {
    /// The beginning of the simulated time.
    static let start = Instant(nanoseconds: 0)
}
