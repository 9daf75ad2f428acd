import Base

internal import OfflineCore

extension LinkTrace {
    /// The header line that a link recording begins with.
    package static let header = "t_ms,up,rtt_ms,loss,bw_kbps,note"

    /// Reads a link recording: a header and then a row for each change, which is valid until the next row.
    ///
    /// `t_ms` are milliseconds from the start, never decreasing; `up` is 1 or 0; `rtt_ms` and `loss` (0 to 1)
    /// may be empty where not measured. Bandwidth and notes change nothing here, with two exceptions. A note
    /// `end` in the last row ends the recording. With a note `http=` and a status, `rtt_ms` is the time of a
    /// complete call, of which a round trip is a third: connect, TLS, request. A measured round trip is valid
    /// until the next measured one.
    ///
    /// - Throws: the number of the malformed line, counted from 1.
    package init(csv text: some StringProtocol) throws(LinkTraceError) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.first.map({ String($0) }) == Self.header else { throw .noHeader }
        var rows: [Row] = []
        var end = Instant(nanoseconds: 0)
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let fields = Substring(line).split(separator: ",", maxSplits: 5, omittingEmptySubsequences: false)
            guard fields.count == 6, let milliseconds = Int64(fields[0]),
                milliseconds >= 0, milliseconds <= Self.longest
            else { throw .malformed(line: index + 1) }
            let start = Instant(nanoseconds: milliseconds * 1_000_000)
            guard start >= end else { throw .backwards(line: index + 1) }
            end = start
            if fields[5] == "end" { break }
            guard let row = Self.row(start, fields, after: rows.last) else {
                throw .malformed(line: index + 1)
            }
            rows.append(row)
        }
        guard let first = rows.first, first.start < end else { throw .empty }
        self.init(rows: rows, end: end)
    }

    /// Fifty years, so that no sum of moments overflows.
    private static let longest: Int64 = 50 * 366 * 86_400_000

    private static func row(_ start: Instant, _ fields: [Substring], after last: Row?) -> Row? {
        guard fields[1] == "0" || fields[1] == "1" else { return nil }
        var roundTrip = last?.roundTrip
        if !fields[2].isEmpty {
            guard let measured = Double(fields[2]), (0...600_000).contains(measured) else { return nil }
            let exchanges: Double = fields[5].hasPrefix("http=") ? 3 : 1
            roundTrip = .nanoseconds(Int64(measured / exchanges * 1e6))
        }
        var loss = 0.0
        if !fields[3].isEmpty {
            guard let measured = Double(fields[3]), (0...1).contains(measured) else { return nil }
            loss = measured
        }
        return Row(
            start: start, isUp: fields[1] == "1", roundTrip: roundTrip,
            lossPerMille: UInt64((loss * 1_000).rounded()))
    }
}

/// Why a link recording cannot be read. No part of it is used.
package enum LinkTraceError: Error, Hashable, Sendable {
    /// The first line is not ``LinkTrace/header``: it is something else, or compressed.
    case noHeader
    case malformed(line: Int)
    /// The time of this line is before that of the one above.
    case backwards(line: Int)
    /// There is no time in it.
    case empty
}
