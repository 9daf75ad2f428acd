/// Which days may leave the store for an archive: the one place that decides it.
///
/// Days go in their order. What is open on a day keeps that day and all behind it, so that the journal feed
/// loses a beginning and never has a hole.
package struct ArchiveDecision: Hashable, Sendable {
    /// What has to end before a day may go.
    package struct Obstacle: Hashable, Sendable {
        /// What is open.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A shift that is not closed.
            case shiftOpen
            /// A closed shift whose entries have not all arrived.
            case shiftWaits
            /// A closed shift whose sums differ from the hub's.
            case shiftDisputed
            /// A card was refused after its sale, and nobody settled it.
            case debt
            /// A card without a result of the payment service, or with a call that it did not get yet.
            case payment
            /// A refused entry that nobody decided about.
            case refusal
            /// A flag whose alarm nobody acknowledged, or whose points wait for a person.
            case flag
            /// Entries that a terminal can still send again, since it has no result of them.
            case unconfirmed
            /// Documents of the journal feed that a webhook has not delivered.
            case webhook
        }

        package let kind: Kind
        /// `YYYY-MM-DD`: the first day that it keeps.
        package let day: String
        /// What a person looks for: the id of a shift, a debt, an entry, a terminal or a webhook.
        package let subject: String

        package init(_ kind: Kind, on day: String, _ subject: String) {
            (self.kind, self.day, self.subject) = (kind, day, subject)
        }
    }

    /// The first day that stays.
    package let firstKept: String
    /// What keeps days that are old enough, by day; empty where all that was wanted may go.
    package let obstacles: [Obstacle]

    /// A day is kept for so long, whatever is wanted: what is younger, tills, people and payment services
    /// still come back to. Halved, refunds of a season meet stubs; doubled, a store holds twice as much.
    package static let keptDays: Int64 = 180

    /// - Parameters:
    ///   - before: the first day that a person wants to keep.
    ///   - today: the day of now (UTC).
    ///   - obstacles: of any days.
    package init(before: String, today: String, obstacles: [Obstacle]) {
        let wanted = min(before, Self.oldest(on: today))
        self.obstacles = obstacles.filter { $0.day < wanted }.sorted {
            ($0.day, $0.kind.rawValue, $0.subject) < ($1.day, $1.kind.rawValue, $1.subject)
        }
        firstKept = self.obstacles.first?.day ?? wanted
    }

    /// The first day that is too young on a day.
    package static func oldest(on today: String) -> String {
        guard let now = SaleEntry.milliseconds(of: today) else { return "" }
        return SaleEntry.day(receivedAt: now - keptDays * day)
    }

    private static let day: Int64 = 86_400_000

    /// The day of a document of the journal feed: the one on which it counts. A day that had not come yet
    /// when the document arrived is the clock of one till, and keeps nothing back: the day of arrival counts.
    package static func day(of document: JournalCommons) -> String {
        let arrival = String(document.receivedAt.prefix(10))
        guard let named = document.businessDay else { return arrival }
        guard let received = SaleEntry.milliseconds(of: arrival) else { return named }
        // The day begins up to 14 hours earlier in the east, and a till's clock may be some hours ahead.
        return named > SaleEntry.day(receivedAt: received + 2 * day) ? arrival : named
    }

    /// Entries without a document of their own go when they came before this moment, in milliseconds since
    /// 1970: wherever the store is, the first day that stays had not begun.
    package var arrivedBefore: Int64 { (SaleEntry.milliseconds(of: firstKept) ?? 0) - 2 * Self.day }
}

extension ArchiveDecision.Obstacle {
    /// What keeps the day, and what to do.
    package var text: String {
        switch kind {
        case .shiftOpen:
            "\(day): the shift \(subject) is not closed; close it at its till, or revoke a terminal that is gone"
        case .shiftWaits:
            "\(day): entries of the shift \(subject) have not arrived; run `pos sync now` at its till, or ingest its export"
        case .shiftDisputed:
            "\(day): the sums of the shift \(subject) differ; `pos-hub shifts show \(subject)` has the difference, edit or discard at the till what is wrong"
        case .debt:
            "\(day): the debt \(subject) is open; `pos-hub debts settle \(subject)` when it is paid or written off"
        case .payment:
            "\(day): the payment service has not responded about \(subject); `pos-hub doctor` shows whether it can be reached"
        case .refusal:
            "\(day): the refused entry \(subject) is open; decide with `pos-hub refused resolve \(subject)`"
        case .flag:
            "\(day): somebody has to look at what was flagged of \(subject); `pos-hub alarms acknowledge`, or `pos-hub members release` for points that wait"
        case .unconfirmed:
            "\(day): the terminal \(subject) has not confirmed the results of its entries; run `pos sync now` there, or revoke it when it is gone"
        case .webhook:
            "\(day): the webhook \(subject) has not delivered the documents; let it catch up, skip them, or remove it"
        }
    }
}
