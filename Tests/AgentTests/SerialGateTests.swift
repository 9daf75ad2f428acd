import Synchronization
import Testing

@testable import Agent

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
