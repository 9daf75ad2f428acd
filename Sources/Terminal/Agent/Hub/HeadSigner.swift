import Base

internal import HubProtocol
internal import OfflineMode
internal import TerminalStore
internal import MachineRuntime

/// Signs where the journal ends, as it lies on the disk now.
struct HeadSigner: Sendable {
    let facts: SQLiteTerminalFacts
    let key: DeviceKey
    let time: any SystemTime

    /// Nil when the journal cannot be read, or before the enrolment: the request goes without a head then.
    @Sendable func head() async -> SignedHead? {
        guard let end = try? await facts.journalEnd(), let terminalId = end.terminalId else { return nil }
        return SignedHead(
            terminalId: terminalId, epoch: end.epoch, sequence: end.sequence, hash: end.hash,
            orderCounter: end.orderCounter, at: time.wallMilliseconds(), sign: key.sign)
    }
}
