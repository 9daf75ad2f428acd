internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Synchronization

/// Reads the signed heads of requests and checks them against the device keys that the hub has.
///
/// It runs beside the other requests, before the writer's transaction: a check takes some 0.1 ms. Nothing
/// about a head changes a response.
final class HeadReader: Sendable {
    private let ledger: any Ledger
    let now: @Sendable () -> Int64
    private let known = Mutex<[String: String]>([:])

    /// A key of a terminal never changes, so it is read once; about 100 bytes each. Half would read keys
    /// again in chains of more terminals, double would only take the memory.
    private static let maximumKeys = 50_000

    init(ledger: any Ledger, now: @escaping @Sendable () -> Int64) {
        self.ledger = ledger
        self.now = now
    }

    /// The head of a document: its member `head`; nil without one.
    func claim(of document: JSONValue, from device: DeviceIdentity) async -> HeadClaim? {
        guard let json = document["head"] else { return nil }
        return await claim(try? SignedHead(json: json), from: device)
    }

    /// The head of a single push; nil without the header.
    func claim(ofHeader text: String?, from device: DeviceIdentity) async -> HeadClaim? {
        guard let text else { return nil }
        return await claim(try? SignedHead(headerText: text), from: device)
    }

    private func claim(_ head: SignedHead?, from device: DeviceIdentity) async -> HeadClaim? {
        guard let head else { return .invalid }
        // Without its key, as while the store is busy, a signature cannot be checked.
        guard let key = await key(of: device.terminalId) else { return nil }
        return head.isSigned(by: key, terminalId: device.terminalId) ? .signed(head) : .invalid
    }

    private func key(of terminalId: String) async -> String? {
        if let key = known.withLock({ $0[terminalId] }) { return key }
        guard let key = try? await ledger.terminal(terminalId)?.publicKey else { return nil }
        known.withLock { known in
            if known.count >= Self.maximumKeys { known = [:] }
            known[terminalId] = key
        }
        return key
    }
}
