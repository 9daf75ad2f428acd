internal import ArgumentParser
internal import Glibc
internal import HubProtocol
internal import HubServer
internal import Logs

/// `pos-hub serve`: serves until it gets SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the hub in the foreground.",
        discussion: "Prints `listening on URL` when it is ready. SIGTERM ends it after the running requests.")

    @OptionGroup var options: StoreOptions

    @Option(help: "Host and port; port 0 picks a free one. Default: 127.0.0.1:8080.")
    var listen: String?

    @Option(help: "What this process does: qos, sync, ops, separated by commas. Default: all.")
    var roles: String?

    @Option(name: .customLong("tls-certificate"), help: "PEM file with the certificate chain; serves https.")
    var certificate: String?

    @Option(name: .customLong("tls-key"), help: "PEM file with the certificate's key.")
    var key: String?

    @Flag(help: "Serve plain http beyond loopback. Tokens and PINs are then readable on the network.")
    var allowInsecure = false

    @Option(help: "SERVICE=URL to probe for the QoS decisions; repeatable.")
    var probe: [String] = []

    @Option(
        help:
            "Who decides on cards: none, http (gateway.url of the configuration), or simulator[:approve|decline|silent|unavailable], in which no money moves. Default: none."
    )
    var payments: String?

    @Option(help: "How the log on standard error is written: text, or json, one object a line.")
    var logFormat = "text"

    @Option(
        help:
            "What is logged: trace, debug, info, notice, warning or error. SIGUSR1 shows more at run time, SIGUSR2 goes back."
    )
    var logLevel = "notice"

    func validate() throws {
        if let fault = LogStream.fault(format: logFormat, level: logLevel) { throw ValidationError(fault) }
    }

    func run() async throws {
        let configuration = try configured()
        try ListenCheck.requireFree(configuration.listen)
        let log = LogStream(format: logFormat, level: logLevel)
        let signals = LogLevelSignals(log)
        defer { withExtendedLifetime(signals) {} }
        let logger = log.logger(label: "pos-hub")
        do {
            let isForPrograms = options.json
            try await Hub(configuration, logger: logger).run { address in
                if isForPrograms {
                    Output.document(["listening": .string("\(address)")])
                } else {
                    Output.line("listening on \(address)")
                }
                fflush(nil)
            }
        } catch {
            throw CommandFailure(starting: error)
        }
    }

    private func configured() throws -> HubConfiguration {
        var configuration = try options.configuration()
        try ConfigurationFile.apply(
            [("listen", listen), ("roles", roles), ("payments", payments)], probes: probe,
            to: &configuration)
        switch (certificate, key) {
        case (nil, nil): break
        case (let certificate?, let key?): configuration.tls = TLSFiles(certificate: certificate, key: key)
        case (nil, _?), (_?, nil): throw CommandFailure.usage("--tls-certificate and --tls-key go together")
        }
        if allowInsecure { configuration.allowsInsecure = true }
        if let reason = configuration.insecurity { throw CommandFailure.unusable(reason) }
        return configuration
    }
}
