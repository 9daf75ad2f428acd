internal import Dispatch

/// Does what takes some hundredths of a second of a processor, one after the other on a thread of its own, so
/// that sales go on beside it however many PINs are checked.
final class HashingLine: Sendable {
    private let queue = DispatchQueue(label: "hub.hashing")

    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
