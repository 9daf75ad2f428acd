import Foundation
import TestKit
import Testing

/// Lets few tests play at a time, on threads of their own.
///
/// They start programs and wait for them: on the shared threads of the test run that waiting would delay
/// every other test, and too many programs on few cores would be late for the wrong reason.
struct StageTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await SerialGate.stage.enter()
        let start = ContinuousClock.now
        do {
            try await withTaskExecutorPreference(WaitingExecutor.shared) { try await function() }
        } catch {
            await SerialGate.stage.leave()
            throw error
        }
        await SerialGate.stage.leave()
        StageTimes.add(ContinuousClock.now - start, of: test)
    }
}

/// How long tests took on the stage: the test library's own times include the wait for a place.
private enum StageTimes {
    /// A file that `.ci/tests` reads, with a line for each case; nil: nobody wants it.
    private static let file = ProcessInfo.processInfo.environment["HOLDFAST_STAGE_TIMES"].flatMap {
        open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    }

    static func add(_ time: Duration, of test: Test) {
        guard let file else { return }
        let place = test.sourceLocation
        let line = "\(time / .seconds(1)) \(place.fileID):\(place.line) \(test.name)\n"
        _ = line.withCString { write(file, $0, strlen($0)) }
    }
}

extension Trait where Self == StageTrait {
    /// The test starts programs and waits for them.
    static var onStage: StageTrait { StageTrait() }
}

/// Lets a number of tests in at a time, in the order in which they came.
private actor SerialGate {
    static let stage = SerialGate(width: 3)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) {
        free = width
    }

    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard !waiting.isEmpty else {
            free += 1
            return
        }
        waiting.removeFirst().resume()
    }
}
