internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub doctor`: what needs somebody before it stops the hub; changes nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check store, keys, files, disk, backup, terminals, tokens and certificate; changes nothing.",
        discussion: "Works beside a running hub, and without one. Exit code 4 when anything needs somebody, "
            + "3 when there is no store.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let configuration = try options.configuration()
        let isServed =
            if case .sqlite(let path) = configuration.store {
                LocalSocket(path: StorePaths.socket(of: StorePaths(ledger: path).ledger)).responds
            } else { false }
        let response = HubDoctor(configuration, isServed: isServed).examine()
        try options.show(response, asText: Self.summary)
        if let path = configuration.store.missingFile { throw CommandFailure.noStore(at: path) }
        guard response["ready"]?.bool == true else {
            let failed = Self.failed(response)
            throw CommandFailure.refused("\(failed) \(failed == 1 ? "check needs" : "checks need") somebody")
        }
    }

    private static func failed(_ response: JSONValue) -> Int {
        (response["checks"]?.array ?? []).count { $0["ok"]?.bool != true }
    }

    private static func summary(_ response: JSONValue) -> String {
        (response["checks"]?.array ?? []).map { check in
            "\(check["ok"]?.bool == true ? "ok  " : "FAIL")  \(check["name"]?.string ?? ""): "
                + "\(check["detail"]?.string ?? "")" + (check["fix"]?.string.map { "\n      -> \($0)" } ?? "")
        }.joined(separator: "\n")
    }
}
