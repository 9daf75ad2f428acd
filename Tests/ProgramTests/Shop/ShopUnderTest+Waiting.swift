import Foundation
import HubProtocol

extension ShopUnderTest {
    /// Waits until the agent's status fulfils `condition`.
    ///
    /// - Returns: the seconds that it took.
    @discardableResult
    func waitUntil(
        _ what: String, within seconds: Double, _ condition: (JSONValue) throws -> Bool
    ) throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            let status = try status()
            let passed = (clock.now - start).seconds
            if try condition(status) { return passed }
            guard passed < seconds else {
                throw ShopError.notReached(what, last: status.canonicalText)
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Waits until the till has reached the hub once.
    func waitUntilReachable() throws {
        try waitUntil("reachable", within: 15) { $0.networkState == "reachable" }
    }

    /// Waits until nothing is left in the outbox.
    func waitUntilDrained(within seconds: Double = 20) throws {
        try waitUntil("an empty outbox", within: seconds) { $0.pending == 0 }
    }

    /// Looks at the status for `seconds`; false as soon as `condition` is false.
    func holds(for seconds: Double, _ condition: (JSONValue) throws -> Bool) throws -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        while (clock.now - start).seconds < seconds {
            guard try condition(try status()) else { return false }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return true
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// The members of a status document that the tests read.
extension JSONValue {
    var mode: String? { self["mode"]?.string }
    var causes: [String] { (self["causes"]?.array ?? []).compactMap(\.string) }
    var networkState: String? { self["network"]?["state"]?.string }
    var pending: Int64? { self["outbox"]?["pending"]?.integer }

    /// The state of the service called `name`.
    func serviceState(_ name: String) -> String? {
        self["services"]?.array?.first { $0["service"]?.string == name }?["state"]?.string
    }

    /// Who decided on the service called `name`.
    func serviceSource(_ name: String) -> String? {
        self["services"]?.array?.first { $0["service"]?.string == name }?["source"]?.string
    }

    /// How long the sale took, from its request to its response; infinity when it is not in the document.
    var elapsedMilliseconds: Double { self["elapsedMs"]?.number ?? .infinity }

    /// A number as it is written, whole or not.
    var number: Double? {
        integer.map(Double.init) ?? { if case .double(let value) = self { value } else { nil } }()
    }
}

extension Sequence<JSONValue> {
    /// Whether these sales waited for nothing: each took far less than the online budget. How fast a sale is,
    /// `make bench` measures.
    var areUnhindered: Bool { allSatisfy { $0.elapsedMilliseconds < 1000 } }
}
