internal import Base
internal import Pricing

/// When, for whom and beside which others a promotion is given: members of the feed's `promotion` that
/// terminals of a schema before 5 do not have, and so would give without.
package enum PromotionTerms {
    static let minimumAmount = "minAmountMinor"
    static let days = "days"
    static let from = "fromTime"
    static let until = "untilTime"
    /// A list; an empty one is every member.
    static let tiers = "memberTiers"
    static let group = "group"
    static let exclusive = "exclusive"

    /// Whether a terminal has to have these terms to give the promotion with this value rightly.
    package static func areNeeded(for promotion: JSONValue) -> Bool {
        promotion["kind"]?.string == Promotion.Kind.price.rawValue
            || [minimumAmount, days, from, tiers, group, exclusive].contains { promotion[$0] != nil }
    }

    /// `HH:MM` as minutes after midnight; nil for anything else.
    package static func minute(of text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }),
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func text(ofMinute minute: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return two(minute / 60 % 24) + ":" + two(minute % 60)
    }

    static func hours(in json: JSONValue) throws(ShapeError) -> WeeklyHours? {
        guard json[days] != nil || json[from] != nil || json[until] != nil else { return nil }
        var on: Set<Weekday> = []
        for word in json[days] == nil ? [] : try json.strings(days) {
            guard let day = Weekday(rawValue: word) else {
                throw ShapeError(path: days, expected: "mon, tue, wed, thu, fri, sat or sun")
            }
            on.insert(day)
        }
        guard json[from] != nil || json[until] != nil else { return WeeklyHours(days: on) }
        let (begin, end) = (try time(from, in: json), try time(until, in: json))
        guard let hours = WeeklyHours(days: on, from: begin, until: end) else {
            throw ShapeError(path: until, expected: "another time than \(from)")
        }
        return hours
    }

    private static func time(_ key: String, in json: JSONValue) throws(ShapeError) -> Int64 {
        guard let minute = minute(of: try json.requiredString(key)) else {
            throw ShapeError(path: key, expected: "a time of day such as 17:30")
        }
        return minute
    }

    static func audience(in json: JSONValue) throws(ShapeError) -> Promotion.Audience {
        guard json[tiers] != nil else { return .everyone }
        let names = try json.strings(tiers)
        return names.isEmpty ? .members : .tiers(Set(names))
    }

    static func competition(in json: JSONValue) throws(ShapeError) -> Promotion.Competition {
        if json[exclusive]?.bool == true { return .exclusive }
        return try json.optionalString(group).map(Promotion.Competition.group) ?? .none
    }

    static func members(of promotion: Promotion) -> JSONObject {
        var members: JSONObject = [:]
        if promotion.minimumAmount > 0 { members[minimumAmount] = .integer(promotion.minimumAmount) }
        if let hours = promotion.hours {
            if hours.days.count < Weekday.allCases.count {
                members[days] = .array(
                    Weekday.allCases.filter(hours.days.contains).map { .string($0.rawValue) })
            }
            if (hours.from, hours.until) != WeeklyHours.fullDay {
                members[from] = .string(text(ofMinute: hours.from))
                members[until] = .string(text(ofMinute: hours.until))
            }
        }
        switch promotion.audience {
        case .everyone: break
        case .members: members[tiers] = []
        case .tiers(let names): members[tiers] = .array(names.sorted().map(JSONValue.string))
        }
        switch promotion.competition {
        case .none: break
        case .group(let name): members[group] = .string(name)
        case .exclusive: members[exclusive] = true
        }
        return members
    }
}
