import Base
import LinuxRuntime
import MachineRuntime
import OfflineCore
import OfflineMode

/// Shows the offline module in a terminal: a shop's line that can be broken by keys.
@main
struct OfflineTry {
    private let time = LinuxSystemTime()
    private let line = ShopLine()
    private let orders = Orders()
    private let offline: OfflineService

    private static let usage = """
        offline-try [--t1 SECONDS] [--script STEPS]
          --t1      T1 and T2, 1 to 120 s; default 8 and 10 s
          --script  without a screen: keys, and `online` or `offline` to wait for that mode, with commas
                    between them: c,offline,c,online
        """

    static func main() async {
        guard let arguments = TryArguments(CommandLine.arguments.dropFirst()) else {
            print(usage)
            return TryTerminal.exit(2)
        }
        let program = OfflineTry(arguments)
        let running = Task { await program.offline.run() }
        let selling = Task { await program.sell() }
        let isDone =
            if let script = arguments.script { await program.play(script) } else { await program.show() }
        selling.cancel()
        running.cancel()
        await running.value
        TryTerminal.exit(isDone ? 0 : 1)
    }

    private init(_ arguments: TryArguments) {
        var settings = OfflineSettings()
        if let wait = arguments.wait {
            (settings.network.debounce, settings.network.pathDebounce) = (wait, wait)
            settings.network.recoveryHold = wait
        }
        // The line has an address beside the server's, so that a server that is silent alone is found.
        settings.network.probesInternet = true
        offline = OfflineService(
            settings: settings, apis: CoreAPIs([Orders.service]),
            ports: OfflinePorts(time: time, path: line, probe: line, qos: line))
        offline.register(orders)
    }

    /// An order a second.
    private func sell() async {
        while !Task.isCancelled {
            orders.place(over: line, offline, at: time.now())
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func screen(isStyled: Bool) -> [String] {
        TryScreen(
            status: offline.status, broken: line.broken, orders: orders.page, now: time.now(),
            isStyled: isStyled
        ).lines
    }

    /// - Returns: false for a key that is none.
    private func press(_ key: Character) async -> Bool {
        switch key {
        case "c": line.toggle(.cable)
        case "u": line.toggle(.uplink)
        case "s": line.toggle(.service)
        case "h": line.toggle(.server)
        case "m":
            // Without a store for the flag it is never refused.
            _ = try? await offline.setManual(
                on: !offline.status.manual.isOn, by: nil, reason: "tried by hand")
        default: return false
        }
        return true
    }

    private func show() async -> Bool {
        guard let terminal = TryTerminal() else {
            print("There is no terminal here; use --script.\n" + Self.usage)
            return false
        }
        while true {
            terminal.show(screen(isStyled: true))
            // Five times a second: T1 counts in tenths, and the eye follows.
            guard let key = terminal.key(within: 200) else {
                await Task.yield()
                continue
            }
            if key == "q" { return true }
            _ = await press(key)
        }
    }

    /// Plays `script` and prints the screen after each step.
    private func play(_ script: [String]) async -> Bool {
        for step in script {
            let isPlayed =
                switch step {
                case "online", "offline": await reach(step) && goOn()
                default: if step.count == 1, let key = step.first { await press(key) } else { false }
                }
            print("== \(step)\(isPlayed ? "" : ": no such key, or the mode did not come in 60 s")")
            for line in screen(isStyled: false) { print(line) }
            guard isPlayed else { return false }
        }
        return true
    }

    /// What was kept goes with the next order; without it a picture of the first moment online has none sent.
    private func goOn() -> Bool {
        orders.place(over: line, offline, at: time.now())
        return true
    }

    private func reach(_ mode: String) async -> Bool {
        let end = time.now() + .seconds(60)
        while offline.status.mode.rawValue != mode {
            guard time.now() < end else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }
}

/// The arguments of ``OfflineTry``.
struct TryArguments {
    /// Nil: the module's defaults.
    private(set) var wait: Duration?
    /// Nil: on the screen.
    private(set) var script: [String]?

    /// Nil for what is none.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--t1":
                guard let seconds = Int(value), (1...120).contains(seconds) else { return nil }
                wait = .seconds(seconds)
            case "--script": script = value.split(separator: ",").map(String.init)
            default: return nil
            }
        }
    }
}
