import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// What a hostile terminal may do to the members of the whole chain: so much a day, with an alarm at half,
/// and with a way back.
struct MemberMeasures {
    let quiet: HonestShops
    let attacked: HonestShops

    private static let (changes, newMembers, points): (Int64, Int64, Int64) = (8, 6, 40)
    /// Below what a terminal may look up in a minute, so that the day's measure is met first.
    private static let lookUps: Int64 = 60
    /// What the sales of the hostile terminal's store earned on each of the days before.
    private static let dayBefore: Int64 = 500

    /// The group `limits` of both hubs' configuration.
    static let configured: JSONValue = [
        "memberChangesPerDay": .integer(changes), "newMembersPerDay": .integer(newMembers),
        "pointsAdjustedPerDay": .integer(points), "lookUpsPerDay": .integer(lookUps),
    ]

    /// Uses up all that the day leaves, looks what came of it, and takes it back.
    func compare() throws {
        try exhaust()
        try inventSales()
        try lookMembersUp()
        let before = try quiet.chainMembers()
        let after = try attacked.chainMembers()
        var moved: Int64 = 0
        for member in HonestShops.members {
            let (was, now) = (before[member]?["points"]?.integer, after[member]?["points"]?.integer)
            moved += abs((now ?? 0) - (was ?? 0))
            // Nobody named the number of now.
            #expect(after[member]?["phone"] == before[member]?["phone"], "\(member)")
        }
        #expect(moved <= Self.points + 2 * Self.dayBefore)
        for (key, member) in before where key.hasPrefix("by number") { #expect(after[key] == member) }
        try checkAlarms()
        try checkReversal(to: before)
    }

    /// More of each than a day has room for: what is left is applied, the rest waits.
    private func exhaust() throws {
        let kinds: [(String, Int64, JSONValue)] = [
            ("member.updated", Self.changes, ["name": "Mallory"]),
            ("member.created", Self.newMembers, ["name": "Mallory"]),
            ("points.adjusted", Self.points, ["delta": 1]),
        ]
        for (type, limit, payload) in kinds {
            var outcomes: [String] = []
            for number in 0...Int(limit) {
                let known = HonestShops.members[number % HonestShops.members.count]
                let id = type == "member.created" ? "new-\(number)" : known
                let entry = attacked.other.entry(type, id, payload: payload)
                outcomes.append(try attacked.other.push(entry).json()["outcome"]?.string ?? "")
            }
            #expect(outcomes.last == "retry", "\(type) \(outcomes)")
            #expect(outcomes.allSatisfy { ["applied", "retry"].contains($0) }, "\(type) \(outcomes)")
        }
    }

    /// Sales that nobody made, for a friend: what they earn is at most twice the largest of the days before.
    private func inventSales() throws {
        let today = Int64(Date().timeIntervalSince1970) / 86_400
        for day in (today - 9)..<today {
            try attacked.run(
                "INSERT INTO earned_points (store_id, received_day, day, terminal_id, points, sales, total) "
                    + "VALUES ('\(attacked.other.grant.storeId)', \(day), \(day), 'neighbour', "
                    + "\(Self.dayBefore), 1, 1)")
        }
        let friend = HonestShops.members[0]
        var held = 0
        for _ in 0..<8 {
            let sale = attacked.other.sale(member: friend, earning: Self.dayBefore * 2 / 5)
            let result = try attacked.other.push(sale).json()
            #expect(result["outcome"] == "applied", "\(result)")
            if result["flags"]?.array?.contains("points_held") == true { held += 1 }
        }
        #expect(held == 3)
    }

    /// More look-ups than a day has room for, by id and by number; honest terminals find everybody after it.
    private func lookMembersUp() throws {
        var found: Int64 = 0
        for number in 0...Self.lookUps {
            let path = number % 2 == 0 ? "/v1/members/\(HonestShops.members[0])" : "/v1/members?phone=139002"
            if try attacked.other.send("GET", path).status != 429 { found += 1 }
        }
        #expect((1...Self.lookUps).contains(found), "\(found)")
    }

    private func checkAlarms() throws {
        // The alarm of look-ups is written every 5 s.
        var alarms: [JSONValue] = []
        let limit = Date(timeIntervalSinceNow: 30)
        repeat {
            alarms = try attacked.hub.json("alarms", "list")["alarms"]?.array ?? []
        } while !alarms.contains { $0["kind"] == "look_ups_many" } && Date() < limit
        let kinds = [
            "member_changes_many", "new_members_many", "points_adjusted_many", "points_earned_many",
            "points_held", "look_ups_many",
        ]
        for kind in kinds {
            let raised = alarms.filter { $0["kind"]?.string == kind }
            #expect(
                raised.map { $0["terminalId"] } == [.string(attacked.other.grant.terminalId)], "\(kind)")
        }
    }

    private func checkReversal(to before: [String: JSONValue]) throws {
        let terminal = attacked.other.grant.terminalId
        let dayAgo = Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000) - 86_400_000)
        for part in [[], ["--points"]] {
            let response = try attacked.hub.json(
                ["members", "revert", "--terminal", terminal, "--since", dayAgo] + part)
            #expect(response["reverted"]?.integer ?? 0 > 0 && response["kept"] == 0, "\(response)")
        }
        #expect(try attacked.chainMembers() == before)
    }
}
