internal import HubServer

/// Values as they are written on a command line or in a file. What cannot be used is refused, never clamped.
extension HubConfiguration {
    /// Sets one text key; nil leaves it as it is.
    mutating func apply(_ key: String, _ text: String?) throws(CommandFailure) {
        guard let text else { return }
        switch key {
        case "listen":
            guard let address = ListenAddress(text) else {
                throw .usage("\(key) is HOST:PORT, for example 127.0.0.1:8080, not \"\(text)\"")
            }
            listen = address
        case "store":
            guard let location = StoreLocation(text) else {
                throw .usage("\(key) is sqlite:PATH or postgresql://USER@HOST/DATABASE, not \"\(text)\"")
            }
            self.store = location
        case "keys":
            guard !text.isEmpty else { throw .usage("\(key) is a folder") }
            keysFolder = text
        case "roles":
            roles = try Self.roles(text)
        case "payments":
            guard let service = PaymentService(text) else {
                throw .usage(
                    "\(key) is none, simulator or simulator:BEHAVIOUR with approve, decline, silent or "
                        + "unavailable, not \"\(text)\"")
            }
            payments = service
            if PaymentService.isEarlierForm(text) {
                Output.warning("\(key) \(text) means \(service.text): no money moves; write it like that")
            }
        case _:
            throw .usage("there is no key \(key)")
        }
    }

    private static func roles(_ text: String) throws(CommandFailure) -> Set<HubRole> {
        var roles: Set<HubRole> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let role = HubRole(rawValue: String(name)) else {
                throw .usage("roles are qos, sync and ops, separated by commas, not \"\(text)\"")
            }
            roles.insert(role)
        }
        return roles
    }

    /// Adds a probe from `SERVICE=URL`.
    mutating func applyProbe(_ pair: String) throws(CommandFailure) {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw .usage("--probe is SERVICE=URL, not \"\(pair)\"") }
        qos.probes[parts[0]] = parts[1]
    }
}
