internal import CurlTransport
internal import OfflineMode

/// Canaries: the order service gets the oldest pending mutation through the one drainer, the others a GET.
struct TerminalCanary: CanaryCalling {
    let drainer: OutboxDrainer
    let others: CurlCanary

    func call(service: String, timeout: Duration) async -> Bool {
        guard service == "order" else { return await others.call(service: service, timeout: timeout) }
        return await drainer.canaryPush(timeout: timeout)
    }
}
