import Base
import HubProtocol
import Neighbours
import Testing

/// Which of many addresses are tried.
@Suite("Addresses that are tried")
struct NeighbourAddressesTests {
    private func tills(_ count: Int, each: Int) -> [String: [String]] {
        let ids = (0..<count).map { "T\($0 + 10)" }
        return Dictionary(uniqueKeysWithValues: ids.map { id in (id, (1...each).map { "\(id):\($0)" }) })
    }

    @Test("Fifteen other tills with four addresses each are all tried, at the first ones of each")
    func fifteen() {
        let tills = tills(15, each: 4)
        let chosen = NeighbourAddresses.chosen(named: [], of: tills, without: [])
        #expect(chosen.count == NeighbourLimits.addresses)
        for (id, addresses) in tills {
            #expect(Set(chosen).isSuperset(of: addresses.prefix(2)), "\(id)")
        }
        #expect(Array(chosen.prefix(2)) == ["T10:1", "T11:1"])
    }

    @Test("Tills that are no neighbours take no place, and this till's own addresses neither")
    func others() {
        let tills = tills(40, each: 1)
        let chosen = NeighbourAddresses.chosen(named: [], of: tills, without: ["T12:1"])
        #expect(chosen.count == NeighbourLimits.neighbours - 1)
        #expect(chosen.last == "T25:1" && !chosen.contains("T12:1"))
    }

    @Test("What a person named comes first, and each address once")
    func named() {
        let tills = ["A": ["a1", "a2"], "B": ["b1", "a1"]]
        #expect(
            NeighbourAddresses.chosen(named: ["x", "b1", "x"], of: tills, without: [])
                == ["x", "b1", "a1", "a2"])
        let many = (0..<40).map { "n\($0)" }
        #expect(
            NeighbourAddresses.chosen(named: many, of: tills, without: [])
                == Array(many.prefix(NeighbourLimits.addresses)))
    }

    @Test(
        "Whatever tills report: no till has two addresses more than another one that has more to try",
        arguments: UInt64(1)...40)
    func anyReports(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var tills: [String: [String]] = [:]
        for till in 0..<Int(1 + random.below(16)) {
            tills["T\(till)"] = (0..<Int(random.below(9))).map { "\(till):\($0)" }
        }
        let chosen = NeighbourAddresses.chosen(named: [], of: tills, without: [])
        #expect(chosen.count == min(NeighbourLimits.addresses, tills.values.reduce(0) { $0 + $1.count }))
        let tried = tills.mapValues { Set($0).intersection(chosen).count }
        let most = tried.values.max() ?? 0
        for (id, addresses) in tills where tried[id] ?? 0 < addresses.count {
            #expect(tried[id] ?? 0 >= most - 1, "\(id)")
        }
    }
}
