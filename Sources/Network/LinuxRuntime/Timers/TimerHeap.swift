/// A binary heap of deadlines, the earliest on top; of equal ones the one that was inserted first.
///
/// The children of the entry at `i` lie at `2i + 1` and `2i + 2`, and none is earlier than its parent.
struct TimerHeap {
    struct Entry: Comparable {
        let nanoseconds: Int64
        let sequence: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.nanoseconds, left.sequence) < (right.nanoseconds, right.sequence)
        }
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0, entries[index] < entries[(index - 1) / 2] {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var index = 0
        while let child = earliestChild(of: index), entries[child] < entries[index] {
            entries.swapAt(index, child)
            index = child
        }
    }

    private func earliestChild(of index: Int) -> Int? {
        let (left, right) = (2 * index + 1, 2 * index + 2)
        guard left < entries.count else { return nil }
        return right < entries.count && entries[right] < entries[left] ? right : left
    }
}
