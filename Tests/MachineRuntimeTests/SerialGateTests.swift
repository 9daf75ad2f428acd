import Synchronization
import TestKit
import Testing

@testable import MachineRuntime

@Suite("The serial gate")
struct SerialGateTests {
    @Test("one task is inside at a time, and every waiting task gets its slot")
    func oneAtATime() async {
        let gate = SerialGate()
        let visitors = Visitors()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await gate.pass {
                        visitors.come()
                        await Task.yield()
                        visitors.go()
                    }
                }
            }
        }
        #expect(visitors.most == 1)
        #expect(visitors.passed == 50)
    }

    @Test("waiting tasks pass in the order in which they came; a cancelled one leaves the queue")
    func order() async {
        let gate = SerialGate()
        let passed = Passed()
        let (door, open) = AsyncStream.makeStream(of: Void.self)
        let holder = Task { await gate.pass { for await _ in door {} } }
        await eventually { gate.isTaken }
        var tasks: [Task<Int?, Never>] = []
        for number in 0..<5 {
            tasks.append(
                Task {
                    await gate.pass {
                        passed.add(number)
                        return number
                    }
                })
            await eventually { gate.waiterCount == number + 1 }
        }
        tasks[2].cancel()
        #expect(await tasks[2].value == nil)
        #expect(gate.waiterCount == 4)
        open.finish()
        #expect(await holder.value != nil)
        for number in [0, 1, 3, 4] { #expect(await tasks[number].value == number) }
        #expect(passed.all == [0, 1, 3, 4])
        #expect(!gate.isTaken)
    }

    @Test("what a task throws inside leaves the gate free")
    func throwing() async {
        struct Broken: Error {}
        let gate = SerialGate()
        await #expect(throws: Broken.self) { try await gate.pass { throw Broken() } }
        #expect(await gate.pass { 1 } == 1)
    }
}

private final class Passed: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

private final class Visitors: Sendable {
    private let counts = Mutex((inside: 0, most: 0, passed: 0))

    var most: Int { counts.withLock { $0.most } }
    var passed: Int { counts.withLock { $0.passed } }

    func come() {
        counts.withLock { counts in
            counts.inside += 1
            counts.most = max(counts.most, counts.inside)
        }
    }

    func go() {
        counts.withLock { counts in
            counts.inside -= 1
            counts.passed += 1
        }
    }
}
