internal import MachineRuntime
internal import Synchronization

/// Stores for each interface whether NetworkManager reports it as metered.
///
/// Its own thread queries NetworkManager over the system bus: for an interface at its first use, and for all
/// of them again whenever NetworkManager signals a change, starts or stops. Between two changes it sleeps.
/// Where there is no bus it tries again every five minutes. Where NetworkManager does not run or does not
/// manage an interface, the value is unknown and the configuration decides.
package final class DBusMetering: Sendable {
    struct Options: Sendable {
        /// The bus's socket.
        var path: String
        /// How long to wait before a missing bus is tried again. Default 300 s.
        var retry: Duration = .seconds(300)
    }

    private struct State {
        /// Every interface that somebody uses.
        var interfaces: Set<String> = []
        var pendingQueries: Set<String> = []
        var isRunning = false
    }

    private static let manager = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    private static let device = "org.freedesktop.NetworkManager.Device"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// By interface; unknown ones are missing.
    let responses = Broadcast<[String: Bool]>([:])
    private let options: Options
    private let wakeup = Wakeup()
    private let isStopped = Atomic(false)
    private let state = Mutex(State())

    /// - Parameter environment: its `DBUS_SYSTEM_BUS_ADDRESS` names the bus, if it is set.
    package convenience init(environment: [String: String]) {
        self.init(options: Options(path: SystemBus.path(environment: environment)))
    }

    init(options: Options) {
        self.options = options
    }

    /// Whether NetworkManager reports `interface` as metered, or guesses so; nil while unknown. Never waits:
    /// the first call starts the query, and listeners are notified of its result.
    package func isMetered(_ interface: String) -> Bool? {
        let (isNew, starts) = state.withLock { state in
            guard state.interfaces.insert(interface).inserted else { return (false, false) }
            state.pendingQueries.insert(interface)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if starts { start() } else if isNew { wakeup.signal() }
        return responses.current[interface]
    }

    /// Ends the queries; the last known values stay.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeup.signal()
    }

    private func start() {
        do {
            try PosixThread.detach { self.run() }
        } catch {
            state.withLock { $0.isRunning = false }
        }
    }

    private func run() {
        while !isStopped.load(ordering: .acquiring) {
            do throws(DBusError) {
                let bus = try DBusConnection(path: options.path)
                try serve(bus)
            } catch {
                responses.publish([:])
            }
            guard !isStopped.load(ordering: .acquiring) else { return }
            wakeup.wait(besides: nil, for: options.retry)
            queryAll()
        }
    }

    private func serve(_ bus: DBusConnection) throws(DBusError) {
        try bus.subscribe(to: "type='signal',sender='\(Self.manager)',member='PropertiesChanged'")
        try bus.subscribe(
            to: "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.manager)'"
        )
        queryAll()
        while !isStopped.load(ordering: .acquiring) {
            let queried = state.withLock { state in
                defer { state.pendingQueries = [] }
                return state.pendingQueries
            }
            var found: [(String, Bool?)] = []
            for interface in queried.sorted() { found.append((interface, try query(bus, interface))) }
            responses.update { responses in
                for (interface, isMetered) in found { responses[interface] = isMetered }
            }
            // Signals may have come between the replies.
            let isNews = try bus.hasNews() ? true : waited(for: bus)
            if isNews {
                queryAll()
            }
        }
    }

    /// Sleeps until a message of the bus or a new query; whether it was a signal.
    private func waited(for bus: DBusConnection) throws(DBusError) -> Bool {
        guard state.withLock({ $0.pendingQueries.isEmpty }) else { return false }
        wakeup.wait(besides: bus.socket, for: .seconds(3600))
        return try bus.hasNews()
    }

    private func query(_ bus: DBusConnection, _ interface: String) throws(DBusError) -> Bool? {
        let found = try bus.call(
            Self.manager, Self.managerPath, Self.manager, "GetDeviceByIpIface", [interface])
        guard case .text(let path)? = found else { return nil }
        let metered = try bus.call(Self.manager, path, Self.properties, "Get", [Self.device, "Metered"])
        // NMMetered: 1 yes, 2 no, 3 guessed yes, 4 guessed no, 0 unknown.
        switch metered {
        case .number(1)?, .number(3)?: return true
        case .number(2)?, .number(4)?: return false
        case .number?, .text?, nil: return nil
        }
    }

    private func queryAll() { state.withLock { $0.pendingQueries = $0.interfaces } }
}
