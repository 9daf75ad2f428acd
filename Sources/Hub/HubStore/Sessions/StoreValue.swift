/// A value of a statement.
package enum StoreValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    /// For ``Dialect/isOne(of:)`` alone.
    case texts([String])
}

/// What a statement takes as a value and a row gives as one.
package protocol StoreConvertible {
    var storeValue: StoreValue { get }

    /// - Throws: ``UnexpectedColumn`` for NULL and for a value of another type.
    init(from row: StoreRow, at column: Int) throws
}

/// A column is not what its statement says: a fault of the hub's own.
package struct UnexpectedColumn: Error, CustomStringConvertible {
    package let column: String

    package init(_ column: String) { self.column = column }

    package var description: String { "the column \(column) is not what was asked for" }
}

extension String: StoreConvertible {
    package var storeValue: StoreValue { .text(self) }

    package init(from row: StoreRow, at column: Int) throws {
        guard let text = row.text(column) else { throw row.unexpected(column) }
        self = text
    }
}

extension Int64: StoreConvertible {
    package var storeValue: StoreValue { .integer(self) }

    package init(from row: StoreRow, at column: Int) throws {
        guard let number = row.integer(column) else { throw row.unexpected(column) }
        self = number
    }
}

extension Int: StoreConvertible {
    package var storeValue: StoreValue { .integer(Int64(self)) }

    package init(from row: StoreRow, at column: Int) throws {
        self = Int(try Int64(from: row, at: column))
    }
}

/// Kept as 0 or 1.
extension Bool: StoreConvertible {
    package var storeValue: StoreValue { .integer(self ? 1 : 0) }

    package init(from row: StoreRow, at column: Int) throws {
        self = try Int64(from: row, at: column) != 0
    }
}

extension [UInt8]: StoreConvertible {
    package var storeValue: StoreValue { .bytes(self) }

    package init(from row: StoreRow, at column: Int) throws {
        guard let bytes = row.bytes(column) else { throw row.unexpected(column) }
        self = bytes
    }
}

extension StoreValue: StoreConvertible {
    package var storeValue: StoreValue { self }

    package init(from row: StoreRow, at column: Int) throws {
        self = row.value(column)
    }
}

/// Nil is NULL.
extension Optional: StoreConvertible where Wrapped: StoreConvertible {
    package var storeValue: StoreValue { self?.storeValue ?? .null }

    package init(from row: StoreRow, at column: Int) throws {
        self = row.isNull(column) ? nil : try Wrapped(from: row, at: column)
    }
}
