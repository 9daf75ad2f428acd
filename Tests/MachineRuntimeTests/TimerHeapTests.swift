import Testing

@testable import LinuxRuntime
@testable import MachineRuntime

@Suite("Timer heap")
struct TimerHeapTests {
    @Test("entries are removed by time, those of one time in the order of insertion")
    func order() {
        var heap = TimerHeap()
        for (index, time) in [5, 3, 9, 3, 1, 9, 3, 0, 5].enumerated() {
            heap.insert(.init(nanoseconds: Int64(time), sequence: UInt64(index)))
        }
        #expect(drained(&heap).map(\.sequence) == [7, 4, 1, 3, 6, 0, 8, 2, 5])
    }

    @Test("a thousand shuffled entries are removed in order, also when some are added in between")
    func shuffled() {
        var generator = SystemRandomNumberGenerator()
        let entries = (0..<1000).map {
            TimerHeap.Entry(nanoseconds: Int64.random(in: 0..<300, using: &generator), sequence: $0)
        }
        var heap = TimerHeap()
        for entry in entries.prefix(500) { heap.insert(entry) }
        let earliest = heap.first
        heap.removeFirst()
        for entry in entries.dropFirst(500) { heap.insert(entry) }
        #expect(drained(&heap) == entries.filter { $0 != earliest }.sorted())
    }

    @Test("an empty heap has nothing to remove")
    func empty() {
        var heap = TimerHeap()
        heap.removeFirst()
        #expect(heap.first == nil)
    }

    private func drained(_ heap: inout TimerHeap) -> [TimerHeap.Entry] {
        var entries: [TimerHeap.Entry] = []
        while let first = heap.first {
            entries.append(first)
            heap.removeFirst()
        }
        return entries
    }
}
