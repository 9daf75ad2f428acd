internal import Base
internal import Foundation
internal import HubProtocol
internal import HubStore

/// The business day that the stores are in now.
///
/// By their time zone and the hour at which their day begins, where all stores that set a zone set the same
/// two; otherwise in UTC. In the Americas the evening's sales are of the day before UTC's, in the Far East
/// the morning's are of the day behind it.
enum RunningDay {
    /// YYYY-MM-DD at `now`, in milliseconds since 1970.
    static func text(of ledger: any Ledger, at now: Int64) async throws(LedgerError) -> String {
        var found: Set<[String]> = []
        for row in try await ledger.rows(of: BackOfficeQuery.storeSettings) {
            let settings = StoreSettings(json: JSONValue.stored(row.text("value"))).values
            guard let zone = settings["store.timeZone"]?.string else { continue }
            found.insert([zone, settings["store.businessDayStartsAt"]?.string ?? "04:00"])
        }
        guard found.count == 1, let only = found.first, let zone = TimeZone(identifier: only[0]) else {
            return utc(now)
        }
        let parts = only[1].split(separator: ":").compactMap { Int64($0) }
        let start = parts.count == 2 ? (parts[0] * 60 + parts[1]) * 60_000 : 0
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(now) / 1_000))
        return utc(now + Int64(offset) * 1_000 - start)
    }

    static func utc(_ now: Int64) -> String { String(Timestamp.text(milliseconds: now).prefix(10)) }
}
