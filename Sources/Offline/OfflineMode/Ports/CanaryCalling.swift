/// Tries one harmless call of a service, to see whether it really serves again.
public protocol CanaryCalling: Sendable {
    /// The canary of `order` is the oldest pending mutation alone or an empty batch; of others their GET.
    ///
    /// - Returns: whether the verified hub responded as the contract requires (a 4xx about the call itself
    ///   counts).
    func call(service: String, timeout: Duration) async -> Bool
}
