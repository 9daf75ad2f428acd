import Base
import HubCore

import ArgumentParser
import Foundation

/// A sale to a member that was recorded somewhere.
struct RecordedVisit {
    /// Milliseconds since 1970, as if the recording's clock were UTC.
    let moment: Int64
    let store: String
    let member: String
    /// Minor units.
    let paid: Int64
}

/// The sales of a file of baskets: CSV with a heading, a row for each line of a basket, of which the columns
/// `basket_id`, `store_id`, `timestamp` (ISO 8601 without a zone), `household_id` and `customer_paid_cents`
/// are read.
struct RecordedVisits {
    /// By member, each in the order of time.
    let byMember: [[RecordedVisit]]
    /// Those with most sales first.
    let stores: [String]

    /// - Throws: when the file cannot be read or has other columns, with what to do.
    init(file: String) throws {
        guard let bytes = try FileHandle(forReadingAtPath: file)?.readToEnd() else {
            throw ValidationError("\(file) cannot be read; name a CSV file of baskets")
        }
        if bytes.starts(with: [0x1F, 0x8B]) {
            throw ValidationError(
                "\(file) is compressed; give it as `gunzip -c FILE | … --baskets /dev/stdin`")
        }
        var reader = CSVReader(Array(bytes))
        let heading = try reader.next()?.fields ?? []
        let places = ["basket_id", "store_id", "timestamp", "household_id", "customer_paid_cents"].map {
            heading.firstIndex(of: $0)
        }
        guard let basket = places[0], let store = places[1], let time = places[2], let member = places[3],
            let paid = places[4]
        else {
            throw ValidationError(
                "\(file) needs the columns basket_id, store_id, timestamp, household_id, customer_paid_cents")
        }
        var baskets: [String: RecordedVisit] = [:]
        while let record = try reader.next() {
            guard record.fields.count == heading.count, let amount = Int64(record.fields[paid]),
                let moment = Timestamp.milliseconds(of: record.fields[time] + "Z")
            else { throw ValidationError("line \(record.line) of \(file) is no line of a basket") }
            let before = baskets[record.fields[basket]]?.paid ?? 0
            baskets[record.fields[basket]] = RecordedVisit(
                moment: moment, store: record.fields[store], member: record.fields[member],
                paid: before + amount)
        }
        self.init(Array(baskets.values))
    }

    private init(_ visits: [RecordedVisit]) {
        let counts = Dictionary(grouping: visits, by: \.store).mapValues(\.count)
        stores = counts.keys.sorted { (counts[$1] ?? 0, $0) < (counts[$0] ?? 0, $1) }
        byMember = Dictionary(grouping: visits, by: \.member).sorted { $0.key < $1.key }.map {
            $0.value.sorted { ($0.moment, $0.store) < ($1.moment, $1.store) }
        }
    }

    private init(byMember: [[RecordedVisit]], stores: [String]) {
        self.byMember = byMember
        self.stores = stores
    }

    /// A visit of one member, who is a number here, with its place among theirs.
    struct Step {
        let moment: Int64
        let store: String
        let member: Int
        let place: Int
        /// What it earns.
        let points: Int64
    }

    /// All visits in the order of time.
    var inOrder: [Step] {
        byMember.enumerated().flatMap { member, visits in
            visits.enumerated().map { place, visit in
                Step(
                    moment: visit.moment, store: visit.store, member: member, place: place,
                    points: max(0, visit.paid / 100))
            }
        }.sorted { ($0.moment, $0.member) < ($1.moment, $1.member) }
    }

    /// Every second member: 0 or 1 says which.
    func half(_ which: Int) -> RecordedVisits {
        RecordedVisits(
            byMember: byMember.enumerated().filter { $0.offset % 2 == which }.map(\.element),
            stores: stores)
    }

    /// Those of the first days.
    func first(days: Int64) -> RecordedVisits {
        let begin = byMember.compactMap { $0.first?.moment }.min() ?? 0
        return RecordedVisits(
            byMember: byMember.map { $0.filter { $0.moment - begin < days * 86_400_000 } },
            stores: stores)
    }

    /// The stores with most sales, and more without any where there are too few.
    func largest(_ count: Int) -> [String] {
        stores.prefix(count) + (0..<max(0, count - stores.count)).map { "quiet-\($0)" }
    }

    /// The sales of the stores with most of them alone.
    func ofLargest(_ count: Int) -> RecordedVisits {
        let kept = Set(stores.prefix(count))
        return RecordedVisits(
            byMember: byMember.map { $0.filter { kept.contains($0.store) } }.filter { !$0.isEmpty },
            stores: Array(stores.prefix(count)))
    }
}
