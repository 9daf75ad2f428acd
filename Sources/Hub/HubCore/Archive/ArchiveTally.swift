import HubProtocol

/// Adds up what an archive holds, the same while it is written and while it is read.
package struct ArchiveTally: Sendable {
    private struct Key: Hashable {
        let day: String
        let storeId: String
        let currency: String
    }

    fileprivate struct Sum {
        var (orders, gross, discounts, refunds, tax): (Int128, Int128, Int128, Int128, Int128) = (
            0, 0, 0, 0, 0
        )
    }

    private var sums: [Key: Sum] = [:]
    private var last: (terminalId: String, link: JournalChain.Link)?
    package private(set) var counts = ArchiveCounts()

    /// Of nothing.
    package init() {}

    /// Entries come in the order of their terminals, epochs and sequences.
    ///
    /// - Returns: whether the entry stands behind the one before it.
    package mutating func add(_ entry: ArchivedEntry) -> Bool {
        counts.entries += 1
        let (terminalId, link) = (entry.place.terminalId, entry.link)
        let before = last?.terminalId == terminalId ? last?.link : nil
        if !link.isHashRight || !JournalChain.agrees(link, with: before) { counts.breaks += 1 }
        defer { last = (terminalId, link) }
        guard let before else { return true }
        return (before.epoch, before.sequence) < (link.epoch, link.sequence)
    }

    /// A document of the journal feed; sales, voids and refunds count.
    package mutating func add(document text: String) {
        counts.documents += 1
        let (common, content) = JournalDocument.shown(text)
        let kind: SaleEntry.Kind
        switch common.kind {
        case .order: kind = .sale
        case .void: kind = .void
        case .refund: kind = .refund
        case .cash, .shift, .statement, .debt, .debtSettled, .points, .flag: return
        }
        let key = Key(
            day: common.businessDay ?? "", storeId: common.storeId ?? "",
            currency: common.currency ?? NoCurrency.code)
        let amounts = SaleFigures(of: SaleDocument(shown: content), kind).amounts
        sums[key, default: Sum()].add(amounts)
    }

    /// The sums of each day, in the order of days, stores and currencies.
    package var days: [ArchivedDay] {
        sums.map { key, sum in
            var day = ArchivedDay()
            (day.day, day.storeId, day.currency) = (key.day, key.storeId, key.currency)
            day.orders = Int64(clamping: sum.orders)
            (day.gross, day.discounts) = (String(sum.gross), String(sum.discounts))
            (day.refunds, day.tax) = (String(sum.refunds), String(sum.tax))
            return day
        }.sorted()
    }

    /// The last line.
    package var end: ArchiveCounts {
        var counts = counts
        counts.days = Int64(sums.count)
        return counts
    }
}

extension ArchiveTally.Sum {
    fileprivate mutating func add(_ amounts: SaleAmounts) {
        orders += Int128(amounts.orders)
        gross += Int128(amounts.gross)
        discounts += Int128(amounts.discounts)
        refunds += Int128(amounts.refunds)
        tax += Int128(amounts.tax)
    }
}

/// Where an archive is not what was written, and why.
package struct ArchiveDamage: Error, Hashable, Sendable {
    /// From 1.
    package let line: Int
    /// Where the line begins, from 0.
    package let byte: Int
    package let reason: String
}

/// Chains the lines of an archive. The hash of a line is SHA-256 over the hash of the line before it, as its
/// 64 characters, and the bytes of its JSON; before the first one stand 64 zeros. So a line that is changed,
/// missing, added or moved makes every hash behind it wrong.
package struct ArchiveChain: Sendable {
    /// The last line's; of a finished file it names the file.
    package private(set) var hash = String(repeating: "0", count: 64)

    package init() {}

    /// The line as the file has it, with its line break.
    package mutating func line(_ json: String) -> String {
        follow(Array(json.utf8))
        return "\(hash) \(json)\n"
    }

    /// The hash that the next line has to have.
    fileprivate mutating func follow(_ json: [UInt8]) {
        var digest = RunningDigest()
        digest.add(Array(hash.utf8))
        digest.add(json)
        hash = digest.hex
    }
}

/// Reads an archive line by line, and finds whatever is not as it was written.
package struct ArchiveReader: Sendable {
    /// What may come next.
    private enum Part: Int { case header, entries, documents, days, end }

    private var chain = ArchiveChain()
    private var tally = ArchiveTally()
    private var part = Part.header
    private var line = 0
    private var byte = 0
    private var lastNumber: Int64 = 0
    private var days: [ArchivedDay] = []
    /// Nil before the first line.
    package private(set) var header: ArchiveHeader?

    /// Has read nothing.
    package init() {}

    /// The hash of the last line.
    package var hash: String { chain.hash }
    package var counts: ArchiveCounts { tally.end }

    /// The longest line: a mutation and a document have a MiB at most, and what stands beside them is short.
    /// A file without line breaks is refused there.
    package static let longest = 4 << 20

    /// The next line, without its line break.
    package mutating func read(_ bytes: [UInt8]) throws(ArchiveDamage) -> ArchiveLine {
        line += 1
        defer { byte += bytes.count + 1 }
        guard part != .end else { throw damage("something stands behind the end") }
        guard bytes.count > 65, bytes[64] == UInt8(ascii: " ") else {
            throw damage("the line is none of an archive")
        }
        let json = Array(bytes[65...])
        chain.follow(json)
        guard Array(chain.hash.utf8) == Array(bytes[..<64]) else {
            throw damage("the line, or one before it, is not what was written")
        }
        let read: ArchiveLine
        do throws(ShapeError) {
            read = try ArchiveLine(text: json)
        } catch {
            throw damage("\(error)")
        }
        if let reason = wrong(read) { throw damage(reason) }
        return read
    }

    /// Behind the last line.
    ///
    /// - Parameter rest: bytes without a line break behind the last one.
    package func finish(rest: Int = 0) throws(ArchiveDamage) {
        guard rest == 0 else {
            throw ArchiveDamage(line: line + 1, byte: byte, reason: "the file ends within a line")
        }
        guard part == .end else {
            throw ArchiveDamage(line: line + 1, byte: byte, reason: "the file ends before its end line")
        }
    }

    private func damage(_ reason: String) -> ArchiveDamage {
        ArchiveDamage(line: line, byte: byte, reason: reason)
    }

    /// Nil: it fits what was read before.
    private mutating func wrong(_ read: ArchiveLine) -> String? {
        let next: Part =
            switch read {
            case .header: .header
            case .entry: .entries
            case .document: .documents
            case .day: .days
            case .end: .end
            }
        guard (header == nil) == (next == .header), next.rawValue >= part.rawValue else {
            return "the line stands at the wrong place"
        }
        part = next
        switch read {
        case .header(let read): header = read
        case .entry(let entry):
            if !tally.add(entry) { return "the entry stands at the wrong place" }
        case .document(let number, let text):
            guard let header, number > max(lastNumber, header.above), number <= header.through else {
                return "the number \(number) of the document is not the next one"
            }
            lastNumber = number
            tally.add(document: text)
        case .day(let day): days.append(day)
        case .end(let counts):
            if days != tally.days { return "the sums of the days are not those of the documents" }
            if counts != tally.end { return "the counts are not those of the lines" }
        }
        return nil
    }
}
