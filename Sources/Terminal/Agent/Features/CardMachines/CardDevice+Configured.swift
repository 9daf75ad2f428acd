import Base

internal import MachineRuntime
internal import Retail
internal import TerminalStore
internal import ZVT

extension CardDevice {
    /// The terminal's own card machine; nil: it has none.
    static func configured(_ foundation: AgentFoundation) -> CardDevice? {
        guard let settings = foundation.tuning.configuration.cardMachine else { return nil }
        return CardDevice(
            adapter(settings, foundation), ledger: SQLiteDeviceRequests(foundation.store.database),
            time: foundation.storeTime,
            currency: { [catalogue = foundation.store.catalogue] in (try? await catalogue.currency()) ?? nil
            },
            changed: { [revisions = foundation.revisions] in revisions.advance() })
    }

    private static func adapter(
        _ settings: CardMachineSettings, _ foundation: AgentFoundation
    ) -> any DeviceAdapter {
        let tuning = foundation.tuning
        switch settings.kind {
        case .zvt:
            return ZVTCardMachine(
                settings.address, password: settings.password, silence: settings.timeout ?? .seconds(180),
                time: foundation.storeTime,
                localSeconds: { tuning.checkoutPolicy.calendar.localSeconds(at: $0) })
        case .simulated, .nexo:
            return SimulatedCardMachine(settings.address, deadline: tuning.configuration.cardTimeout)
        }
    }
}
