/// Runs operations one after another, each to its end, in the order in which they arrived.
actor SerialGate {
    private var last: Task<Void, Never>?

    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let before = last
        let task = Task { () -> Result<Value, Failure> in
            await before?.value
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }
}
