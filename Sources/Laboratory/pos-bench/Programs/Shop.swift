import Base

internal import HubProtocol

/// A hub with a catalogue and tills that are enrolled there, in a folder of their own.
final class Shop {
    let folder: String
    /// The first till's.
    var home: String { home(of: 0) }
    private let pos: String
    /// Where `pos` is.
    var terminalProgram: String { pos }
    private let posHub: String
    /// Host and port of the hub.
    private(set) var address: String
    private var hub: BuiltProgram?
    private let store: String
    /// The hub's payment service; nil: none.
    private let payments: String?
    /// What lies between tills and hub; nil: nothing, they meet on loopback.
    private let cable: Cable?
    var log: String { folder + "/programs.log" }

    /// Starts the hub, imports the catalogue and enrols the tills.
    ///
    /// - Parameter store: another store than a file in the folder.
    init(
        _ name: String, in workshop: Workshop, store: String? = nil, articles: Int = Baskets.articles,
        tills: Int = 1, cable: Cable? = nil, payments: String? = nil
    ) throws(BenchFailure) {
        folder = try workshop.folder(name)
        self.cable = cable
        self.payments = payments
        self.store = store ?? "sqlite:\(folder)/hub.sqlite"
        pos = try workshop.program("pos")
        posHub = try workshop.program("pos-hub")
        address = "\(cable == nil ? "127.0.0.1" : Cable.hubAddress):0"
        address = try startHub()
        _ = try startImport(of: articles).finish()
        for till in 0..<tills {
            try posCommand(["init", "--hub", "http://" + address, "--enrol", try enrolmentCode()], of: till)
        }
    }

    /// Starts the import of a catalogue of so many articles.
    func startImport(of articles: Int) throws(BenchFailure) -> BuiltProgram {
        try TextFile.write(Baskets.catalogue(articles), to: folder + "/catalogue.csv")
        return try BuiltProgram(
            posHub, ["import", "products", folder + "/catalogue.csv", "--json", "--store", store], log: log)
    }

    func enrolmentCode(store: String = "S1") throws(BenchFailure) -> String {
        try document(hubCommand(["enrol-code", "--store-id", store]))["code"]?.string ?? ""
    }

    /// Starts the hub at its old place.
    func startHubAgain() throws(BenchFailure) {
        _ = try startHub()
    }

    /// An operator's decision on a service of the hub.
    func overrideQoS(_ service: String, _ state: String) throws(BenchFailure) {
        try hubCommand(["qos", "set", service, state, "--reason", "benchmark"])
    }

    /// Enrols another till, of the shop's own number `index`.
    ///
    /// - Parameter front: host and port of what stands before the hub; nil for nothing.
    func anotherTill(_ index: Int, through front: String? = nil) throws(BenchFailure) -> Till {
        let till = Till(home: home(of: index), pos: pos, log: log)
        let code = try enrolmentCode()
        _ = try till.start(["init", "--hub", "http://" + (front ?? address), "--enrol", code]).finish()
        return till
    }

    /// Waits until the agents of all have reached the hub, at most 30 s.
    func waitUntilReachable(_ tills: [Till]) throws(BenchFailure) {
        for till in tills { try waitUntilReachable(till.home) }
    }

    func home(of till: Int) -> String { folder + (till == 0 ? "/till" : "/till\(till)") }

    /// The hub's process; nil while it is stopped.
    var hubProcess: Int32? { hub?.processIdentifier }

    /// Where the hub serves the commands of this machine.
    var hubSocket: String { folder + "/hub.sqlite.sock" }

    func stopHub() {
        hub?.stop()
        hub = nil
    }

    /// Starts the till's agent and waits until it responds.
    func startAgent(of till: Int = 0) throws(BenchFailure) -> BuiltProgram {
        let agent = try start(pos, ["agent", "--home", home(of: till)], behind: cable?.behindTill)
        guard try agent.readLine() == "ready" else { throw agent.failure("it is not ready") }
        return agent
    }

    /// Waits until the agent has reached the hub, at most 30 s.
    func waitUntilReachable(_ till: Int = 0) throws(BenchFailure) {
        try waitUntilReachable(home(of: till))
    }

    private func waitUntilReachable(_ home: String) throws(BenchFailure) {
        let end = Stopwatch.now() + 30_000_000_000
        while Stopwatch.now() < end {
            let status = try document(
                start(pos, ["status", "--json", "--home", home], behind: cable?.behindTill).finish())
            if status["network"]?["state"]?.string == "reachable" { return }
        }
        throw .programFailed(
            name: "pos", detail: "the hub is not reachable after 30 s", lastErrors: TextFile.lastLine(of: log)
        )
    }

    /// Switches the till offline by hand, or back.
    func switchOffline(_ isOn: Bool) throws(BenchFailure) {
        try posCommand(["offline", isOn ? "on" : "off"])
    }

    /// Starts `pos sell --stdin`.
    ///
    /// - Parameter settings: of the till, as `NAME=VALUE`.
    func startSelling(
        at till: Int = 0, with settings: [String] = []
    ) throws(BenchFailure) -> SaleStream {
        SaleStream(
            try start(
                pos, ["sell", "--stdin", "--json", "--home", home(of: till)],
                behind: settings.isEmpty ? cable?.behindTill : settings))
    }

    /// What one `pos` that sells one article costs, in nanoseconds.
    func timeOneShotSale(_ index: Int) throws(BenchFailure) -> (wall: Int64, busy: Int64) {
        try ProgramRun.time(
            pos, ["sell", "--line", Baskets.barcode(index), "--json", "--home", home], log: log)
    }

    func timeVersion() throws(BenchFailure) -> (wall: Int64, busy: Int64) {
        try ProgramRun.time(pos, ["--version"], log: log)
    }

    /// Imports promotions into the hub.
    func importPromotions(_ text: String) throws(BenchFailure) {
        try TextFile.write(text, to: folder + "/promotions.csv")
        try hubCommand(["import", "promotions", folder + "/promotions.csv"])
    }

    /// Imports members, each with so many points.
    func importMembers(_ members: [String], points: Int64) throws(BenchFailure) {
        let lines = ["id,phone,name,points,tier"] + members.map { "\($0),,Member \($0),\(points)," }
        try TextFile.write(lines.joined(separator: "\n") + "\n", to: folder + "/members.csv")
        try hubCommand(["import", "members", folder + "/members.csv"])
    }

    /// Configures the store of the tills, each setting as `key=value`.
    func configureStore(_ settings: String...) throws(BenchFailure) {
        try hubCommand(["store-config", "set", "--store-id", "S1"] + settings)
    }

    /// Pulls what the hub has at the till.
    func pull() throws(BenchFailure) {
        try posCommand(["sync", "now"])
    }

    /// The full-screen counter in a pseudo-terminal of 80 columns, whose keys and pictures are pipes.
    func startCounter() throws(BenchFailure) -> BuiltProgram {
        try inTerminal("exec '\(pos)' sell --home '\(home)'")
    }

    /// A shell command in a pseudo-terminal.
    func inTerminal(_ command: String) throws(BenchFailure) -> BuiltProgram {
        try BuiltProgram(
            "/usr/bin/env",
            [
                "TERM=xterm", "script", "--quiet", "--flush", "--return", "--command",
                "stty rows 24 cols 80; " + command, "/dev/null",
            ], log: log)
    }

    /// Writes all orders of the hub into a file.
    func exportOrders(as format: String, to path: String) throws(BenchFailure) {
        try hubCommand(["orders", "export", "--format", format, "--output", path])
    }

    /// Writes all documents of the hub's journal feed into a file.
    func exportJournal(to path: String) throws(BenchFailure) {
        try hubCommand(["journal", "export", "--output", path])
    }

    /// Writes a backup of the running hub.
    func backUp(to path: String) throws(BenchFailure) {
        try hubCommand(["backup", path])
    }

    /// Makes another hub's store of a backup.
    func restore(_ path: String, to store: String) throws(BenchFailure) {
        _ = try BuiltProgram(posHub, ["restore", path, "--json", "--store", "sqlite:" + store], log: log)
            .finish()
    }

    /// How many orders the hub has, counted by its audit.
    func receivedOrders() throws(BenchFailure) -> Int64 {
        let audit = try document(hubCommand(["audit"]))
        return (audit["terminals"]?.array ?? []).reduce(0) { $0 + ($1["orders"]?.integer ?? 0) }
    }

    /// - Returns: host and port.
    private func startHub() throws(BenchFailure) -> String {
        // The cable's ends are no loopback, and nobody else is at them.
        let options =
            (cable == nil ? [] : ["--allow-insecure"]) + (payments.map { ["--payments", $0] } ?? [])
        let hub = try start(
            posHub, ["serve", "--listen", address, "--store", store] + options, behind: cable?.behindHub)
        self.hub = hub
        let line = try hub.readLine()
        guard let port = line.split(separator: ":").last else { throw hub.failure("it said: \(line)") }
        let host = address.prefix { $0 != ":" }
        return "\(host):\(port.prefix { $0.isNumber })"
    }

    /// - Parameter prefix: the arguments before the program on its command line.
    private func start(
        _ program: String, _ arguments: [String], behind prefix: [String]?
    ) throws(BenchFailure) -> BuiltProgram {
        guard let prefix else { return try BuiltProgram(program, arguments, log: log) }
        return try BuiltProgram("/usr/bin/env", prefix + [program] + arguments, log: log)
    }

    @discardableResult
    private func posCommand(_ arguments: [String], of till: Int = 0) throws(BenchFailure) -> String {
        try start(pos, arguments + ["--json", "--home", home(of: till)], behind: cable?.behindTill).finish()
    }

    @discardableResult
    private func hubCommand(_ arguments: [String]) throws(BenchFailure) -> String {
        try BuiltProgram(posHub, arguments + ["--json", "--store", store], log: log).finish()
    }

    private func document(_ text: String) throws(BenchFailure) -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(text.utf8)
        } catch {
            throw .programFailed(name: "pos", detail: "it answered \(text)", lastErrors: "\(error)")
        }
    }
}
