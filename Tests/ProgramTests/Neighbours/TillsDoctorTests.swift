import GRDB
import Glibc
import HubProtocol
import TestKit
import Testing

/// What `pos doctor` says where the tills of a store do not see each other.
@Suite(
    "Doctor beside other tills", .onStage,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct TillsDoctorTests {
    /// The checks of other tills by their names, and whether each is fine.
    private func checks(_ till: SeeingTill) throws -> [String: Bool] {
        let all = try till.document("doctor")["checks"]?.array ?? []
        let named = all.compactMap { check -> (String, Bool)? in
            guard let name = check["name"]?.string, name.hasPrefix("other tills") else { return nil }
            return (name, check["ok"]?.bool ?? false)
        }
        return Dictionary(named) { first, _ in first }
    }

    /// Another program of a till's computer has its port.
    private func occupy(_ place: SwitchedShop.Place) throws -> Int32 {
        try place.namespace.perform {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(7710).bigEndian
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                        && listen(descriptor, 8) == 0
                }
            }
            #expect(isBound)
            return descriptor
        }
    }

    @Test("It names a taken port, addresses and keys that lack, isolation, and that a cable is pulled")
    func each() throws {
        let switched = try SwitchedShop()
        try switched.open()
        let (place, one) = try switched.till()
        #expect(try checks(one) == ["other tills": true], "nobody else is enrolled")
        // At a place where nobody else reaches it, which it does not report.
        let (_, two) = try switched.till(with: ["POS_NEIGHBOURS_LISTEN": "127.0.0.1:7710"])
        one.kill()
        two.kill()
        let descriptor = try occupy(place)
        try one.start()
        _ = try one.document("sync", "now")
        #expect(
            try checks(one)
                == ["other tills": true, "other tills' addresses": false, "other tills' port": false])
        close(descriptor)
        one.kill()
        try one.start()
        try two.start(with: ["POS_NEIGHBOURS_LISTEN": ""])
        for _ in 0..<2 { for till in [one, two] { _ = try till.document("sync", "now") } }
        for till in [one, two] { try till.sees("the other", within: 60) { $0.neighbours("reachable") == 1 } }
        #expect(try checks(one) == ["other tills": true])

        try switched.setHub(there: false)
        try switched.setIsolated(true)
        try one.sees("nobody", within: 60) { $0.neighbours("reachable") == 0 }
        // It searches for half a minute before it says so.
        try switched.shop.eventually("isolation is named", within: 40) {
            try checks(one) == ["other tills": false]
        }
        try switched.setPower(false)
        try one.sees("no place to listen", within: 30) { $0["listening"]?.array == [] }
        #expect(try checks(one) == ["other tills": true, "other tills' port": false])

        one.kill()
        try DatabaseQueue(path: one.home + "/terminal.sqlite").write { database in
            try database.execute(
                sql: "UPDATE facts SET value = ? WHERE name = 'lastPull'",
                arguments: [#"{"lastPullAt":"2026-01-01T00:00:00.000Z"}"#])
        }
        try one.start()
        #expect(try checks(one)["other tills' keys"] == false)
    }
}
