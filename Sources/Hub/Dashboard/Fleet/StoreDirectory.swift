internal import Base
internal import Foundation
package import HubProtocol

/// A time zone by which a page writes its times.
package struct PageZone: Hashable, Sendable {
    /// Its name in the tz database, for example `Asia/Shanghai`, or `UTC`.
    package let name: String
    /// Nil for UTC.
    private let zone: TimeZone?

    package static let utc = PageZone()

    private init() { (name, zone) = ("UTC", nil) }

    /// - Returns: nil for a name that this machine does not know.
    package init?(_ name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        (self.name, self.zone) = (name, zone)
    }

    /// By how many milliseconds its clocks are ahead of UTC at a moment since 1970.
    func offset(at moment: Int64) -> Int64 {
        guard let zone else { return 0 }
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment) / 1_000))) * 1_000
    }

    /// Its clock at a moment, as `2026-11-25T18:12:00.000Z` would be UTC's; for its first characters alone.
    func text(_ moment: Int64) -> String { Timestamp.text(milliseconds: moment + offset(at: moment)) }

    /// `2026-11-25 18:12`.
    func clock(_ moment: Int64) -> String { String(text(moment).prefix(16).replacing("T", with: " ")) }
}

/// What decides in which business day a store is.
package struct StoreClock: Hashable, Sendable {
    package let zone: PageZone
    package let begin: BusinessDayBegin

    /// That of a store which sets neither, as at its terminals.
    package static let utc = StoreClock(zone: .utc)

    package init(zone: PageZone, begin: BusinessDayBegin = .standard) {
        (self.zone, self.begin) = (zone, begin)
    }

    /// The business day at a moment in milliseconds since 1970: YYYY-MM-DD.
    package func day(at moment: Int64) -> String {
        let seconds = begin.day(at: moment) { Int(zone.offset(at: $0 * 1_000) / 1_000) }
        return String(Timestamp.text(milliseconds: seconds * 1_000).prefix(10))
    }
}

/// What a store's settings say of it; a text is empty where the store has not set it.
package struct StoreFacts: Hashable, Sendable {
    package let name: String
    package let place: String
    package let telephone: String
    /// Nil where the store set no time zone.
    package let clock: StoreClock?

    /// By default nothing is set.
    package init(name: String = "", place: String = "", telephone: String = "", clock: StoreClock? = nil) {
        self.name = name
        self.place = place
        self.telephone = telephone
        self.clock = clock
    }

    /// The address that a telephone dials, of the digits alone; nil where there are too few for a number.
    var telephoneLink: String? {
        let digits = telephone.filter { ("0"..."9").contains($0) }
        return digits.count < 3 ? nil : "tel:" + (telephone.hasPrefix("+") ? "+" : "") + digits
    }
}

/// The stores that have settings, by id.
package struct StoreDirectory: Hashable, Sendable {
    private let stores: [String: StoreFacts]
    /// That of every store that set one, where all set the same, and UTC where none did; nil where they
    /// differ.
    private let shared: StoreClock?

    /// By default no store has settings.
    package init(_ stores: [String: StoreFacts] = [:]) {
        self.stores = stores
        let clocks = Set(stores.values.compactMap(\.clock))
        shared = clocks.count > 1 ? nil : clocks.first ?? .utc
    }

    /// In the order of the ids.
    package var ids: [String] { stores.keys.sorted() }

    package func facts(of id: String) -> StoreFacts { stores[id] ?? StoreFacts() }

    /// A store's own clock; where it set none that of the others, and UTC where they differ.
    package func clock(of id: String) -> StoreClock { stores[id]?.clock ?? clock }

    /// The clock of the chain: that which all stores share, else UTC.
    package var clock: StoreClock { shared ?? .utc }

    /// The days that stores are in at a moment, the earliest first; one where all have the same clock.
    package func days(at moment: Int64) -> [String] {
        guard shared == nil else { return [clock.day(at: moment)] }
        // Stores without a time zone, and without any setting, are in UTC's day.
        let clocks = Set(stores.values.compactMap(\.clock) + [clock])
        return Set(clocks.map { $0.day(at: moment) }).sorted()
    }

    /// The stores that are in another day than the chain at a moment, by that day.
    package func inOtherDays(at moment: Int64) -> [String: [String]] {
        let usual = clock.day(at: moment)
        let own = ids.map { (id: $0, day: clock(of: $0).day(at: moment)) }.filter { $0.day != usual }
        return Dictionary(grouping: own, by: \.day).mapValues { $0.map(\.id) }
    }

    /// `S046 Main Street`, or the id alone.
    package func title(of id: String) -> String {
        let name = facts(of: id).name
        return name.isEmpty ? id : "\(id) \(name)"
    }
}
