import HubProtocol

extension ShopUnderTest {
    /// How many requests with mutations came to the front.
    var arrivedPushes: Int { front?.requests.count { $0.isPush } ?? 0 }

    /// The sequences of the mutations that came to the front, each at its first arrival.
    var arrivedSequences: [Int64] {
        var known: Set<Int64> = []
        return (front?.requests ?? []).filter(\.isPush).flatMap(\.sequences).filter {
            known.insert($0).inserted
        }
    }
}

extension HubFront.Request {
    /// The sequences of the mutations in it, alone or in a batch.
    var sequences: [Int64] {
        guard let json = try? JSONParser.parse(body.utf8) else { return [] }
        let mutations = json["mutations"]?.array ?? [json]
        return mutations.compactMap { $0["sequence"]?.integer }
    }

    /// The ids of the mutations in it.
    var mutationIds: [String] {
        guard let json = try? JSONParser.parse(body.utf8) else { return [] }
        return (json["mutations"]?.array ?? [json]).compactMap { $0["id"]?.string }
    }
}
