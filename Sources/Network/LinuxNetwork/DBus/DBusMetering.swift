internal import EventLoop
internal import OfflineCore
internal import Synchronization

/// Stores for each interface whether NetworkManager reports it as metered.
///
/// Its own thread queries NetworkManager over the system bus: for an interface at its first use, and for all
/// of them again whenever NetworkManager signals a change, starts or stops. Between two changes it sleeps.
/// Where there is no bus it tries again every five minutes. Where NetworkManager does not run or does not
/// manage an interface, the value is unknown and the configuration decides.
public final class DBusMetering: Sendable {
    struct Options: Sendable {
        /// The bus's socket.
        var path: String
        /// How long to wait before a missing bus is tried again. Default 300 s.
        var retry: Duration = .seconds(300)
    }

    private struct State {
        /// By interface; nil where unknown.
        var answers: [String: Bool?] = [:]
        var unasked: Set<String> = []
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextListener = 0
        var isRunning = false
    }

    private static let manager = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    private static let device = "org.freedesktop.NetworkManager.Device"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let options: Options
    private let wakeup = Wakeup()
    private let isStopped = Atomic(false)
    private let state = Mutex(State())

    /// - Parameter environment: its `DBUS_SYSTEM_BUS_ADDRESS` names the bus, if it is set.
    public convenience init(environment: [String: String]) {
        self.init(options: Options(path: SystemBus.path(environment: environment)))
    }

    init(options: Options) {
        self.options = options
    }

    /// Whether NetworkManager reports `interface` as metered, or guesses so; nil while unknown. Never waits:
    /// the first call starts the query, and listeners are notified of its result.
    public func isMetered(_ interface: String) -> Bool? {
        let (known, starts) = state.withLock { state in
            if let known = state.answers[interface] { return (known, false) }
            state.answers[interface] = .some(nil)
            state.unasked.insert(interface)
            defer { state.isRunning = true }
            return (Bool?.none, !state.isRunning)
        }
        if starts { start() } else if known == nil { wakeup.signal() }
        return known
    }

    /// Calls `body` after every change, on the querying thread.
    func listen(_ body: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = body
            return state.nextListener
        }
    }

    func ignore(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }

    /// Ends the queries; the last known values stay.
    public func stop() {
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
                note(state.withLock { $0.answers.mapValues { _ in Bool?.none } })
            }
            guard !isStopped.load(ordering: .acquiring) else { return }
            wakeup.wait(besides: nil, for: options.retry)
            state.withLock { $0.unasked = Set($0.answers.keys) }
        }
    }

    private func serve(_ bus: DBusConnection) throws(DBusError) {
        try bus.subscribe(to: "type='signal',sender='\(Self.manager)',member='PropertiesChanged'")
        try bus.subscribe(
            to: "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.manager)'"
        )
        state.withLock { $0.unasked = Set($0.answers.keys) }
        while !isStopped.load(ordering: .acquiring) {
            let asked = state.withLock { state in
                defer { state.unasked = [] }
                return state.unasked
            }
            var answers: [String: Bool?] = [:]
            for interface in asked.sorted() { answers[interface] = .some(try ask(bus, interface)) }
            note(answers)
            // Signals may have come between the replies.
            let isNews = try bus.hasNews() ? true : waited(for: bus)
            if isNews {
                state.withLock { $0.unasked = Set($0.answers.keys) }
            }
        }
    }

    /// Sleeps until a message of the bus or a new query; whether it was a signal.
    private func waited(for bus: DBusConnection) throws(DBusError) -> Bool {
        guard state.withLock({ $0.unasked.isEmpty }) else { return false }
        wakeup.wait(besides: bus.socket, for: .seconds(3600))
        return try bus.hasNews()
    }

    private func ask(_ bus: DBusConnection, _ interface: String) throws(DBusError) -> Bool? {
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

    private func note(_ answers: [String: Bool?]) {
        let listeners = state.withLock { state in
            let before = state.answers
            state.answers.merge(answers) { _, new in new }
            return before == state.answers ? [] : Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }
}
