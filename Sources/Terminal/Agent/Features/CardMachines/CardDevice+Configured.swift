import Base

internal import MachineRuntime
internal import Retail
internal import TerminalStore
internal import ZVT

extension CardDevice {
    /// The terminal's own card machine; nil: it has none.
    ///
    /// - Parameter accepted: called with a charge without a sale whose void the machine took on.
    static func configured(
        _ foundation: AgentFoundation, accepted: @escaping @Sendable (DeviceRequest) -> Void
    ) -> CardDevice? {
        guard let settings = foundation.tuning.configuration.cardMachine,
            let adapter = adapter(settings, foundation)
        else { return nil }
        return CardDevice(adapter, foundation, accepted: accepted)
    }

    /// Has what is open of machines that are not configured any more.
    static func former(_ foundation: AgentFoundation) -> CardDevice {
        CardDevice(FormerCardMachine(), foundation) { _ in }
    }

    private init(
        _ adapter: any DeviceAdapter, _ foundation: AgentFoundation,
        accepted: @escaping @Sendable (DeviceRequest) -> Void
    ) {
        self.init(
            adapter, ledger: SQLiteDeviceRequests(foundation.store.database),
            time: foundation.storeTime,
            currency: { [catalogue = foundation.store.catalogue] in (try? await catalogue.currency()) ?? nil
            },
            changed: { [revisions = foundation.revisions] in revisions.advance() }, accepted: accepted)
    }

    private static func adapter(
        _ settings: CardMachineSettings, _ foundation: AgentFoundation
    ) -> (any DeviceAdapter)? {
        let tuning = foundation.tuning
        switch settings.way {
        case .zvt(let place, let password):
            return ZVTCardMachine(
                place, password: password, silence: settings.timeout ?? .seconds(180),
                time: foundation.storeTime,
                ledger: SQLiteDeviceRequests(foundation.store.database), connect: foundation.connect,
                localSeconds: { tuning.checkoutPolicy.calendar.localSeconds(at: $0) })
        case .nexo(let place, let saleId):
            let enrolment = foundation.store.enrolment
            let name = saleId ?? "\(enrolment.storeId)-\(enrolment.terminalNumber)"
            return foundation.cardSession.map { session in
                NexoCardMachine(
                    place, saleId: name, line: NexoLine(place, session: session),
                    limit: settings.timeout ?? .seconds(150), time: foundation.storeTime,
                    ledger: SQLiteDeviceRequests(foundation.store.database),
                    display: display(place, foundation))
            }
        case .simulated(let place):
            return SimulatedCardMachine(place, deadline: tuning.configuration.cardTimeout)
        }
    }

    private static func display(
        _ place: NexoPlace, _ foundation: AgentFoundation
    ) -> NexoDisplayServer? {
        guard let loop = foundation.sockets, let display = place.display else { return nil }
        return NexoDisplayServer(
            address: display.listen, machine: display.machine, loop: loop, time: foundation.time,
            logger: foundation.logger)
    }
}
