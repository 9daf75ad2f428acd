/// RFC 3339 UTC with milliseconds, as every time of the contract is written: `2026-11-21T04:05:06.789Z`.
public enum Timestamp {
    /// - Parameter milliseconds: since 1970, from the year 0 up to the end of the year 9999.
    public static func text(milliseconds: Int64) -> String {
        let (days, inDay) = milliseconds.floorDivided(by: 86_400_000)
        let date = CivilDate(daysSince1970: days)
        let seconds = inDay / 1000
        return String(unsafeUninitializedCapacity: 32) { output in
            var writer = Writer(output)
            writer.add(date.year, width: 4, before: "-")
            writer.add(date.month, width: 2, before: "-")
            writer.add(date.day, width: 2, before: "T")
            writer.add(seconds / 3600, width: 2, before: ":")
            writer.add(seconds / 60 % 60, width: 2, before: ":")
            writer.add(seconds % 60, width: 2, before: ".")
            writer.add(inDay % 1000, width: 3, before: "Z")
            return writer.count
        }
    }

    /// Milliseconds since 1970 of an RFC 3339 time with any offset and 0 to 9 digits of fraction; nil when it
    /// is none. A leap second counts as the next second's start.
    public static func milliseconds(of text: String) -> Int64? {
        var reader = Reader(text)
        guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
            let day = reader.digits(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.digits(2), hour < 24, reader.skip(":"),
            let minute = reader.digits(2), minute < 60, reader.skip(":"),
            let second = reader.digits(2), second <= 60,
            let fraction = reader.fraction(), let offset = reader.offsetMinutes(), reader.isAtEnd,
            let days = CivilDate(year: year, month: month, day: day).daysSince1970
        else { return nil }
        return ((days * 24 + hour) * 60 + minute - offset) * 60_000 + second * 1000 + fraction
    }
}

/// Writes the fixed-width pieces of a time; every response to a push holds one.
private struct Writer {
    private let output: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ output: UnsafeMutableBufferPointer<UInt8>) {
        self.output = output
    }

    mutating func add(_ value: Int64, width: Int, before mark: Unicode.Scalar) {
        var rest = value.magnitude
        for place in stride(from: count + width - 1, through: count, by: -1) {
            output[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += width
        output[count] = UInt8(ascii: mark)
        count += 1
    }
}

/// Reads the fixed-width pieces of a time.
private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func digits(_ count: Int) -> Int64? {
        guard rest.count >= count else { return nil }
        var value: Int64 = 0
        for byte in rest.prefix(count) {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        rest = rest.dropFirst(count)
        return value
    }

    /// Milliseconds of an optional fraction, what is below them dropped.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var milliseconds: Int64 = 0
        var count = 0
        while let byte = rest.first, byte >= 0x30, byte <= 0x39, count < 9 {
            if count < 3 { milliseconds = milliseconds * 10 + Int64(byte - 0x30) }
            count += 1
            rest = rest.dropFirst()
        }
        guard count > 0 else { return nil }
        while count < 3 {
            milliseconds *= 10
            count += 1
        }
        return milliseconds
    }

    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = digits(2), hours < 24, skip(":"),
            let minutes = digits(2), minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }
}
