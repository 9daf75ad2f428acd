/// A value that opens something to whoever has it: a token, a password, a private key, a code. No text that a
/// program makes of it shows it: not its description, not a dump, and not that of a value that holds it, as a
/// log writes its services.
///
/// `@Secret var token: String` reads and writes as `var token: String` does: whoever sends, signs or compares
/// with it names it, and whatever prints its holder does not.
@propertyWrapper
public struct Secret<Value: Sendable>: Sendable {
    /// The value, for the one place that sends, signs or compares with it.
    public var wrappedValue: Value

    /// Hides `wrappedValue` from now on; a copy that somebody else has stays theirs.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `…`, whatever the value is.
    public var description: String { "…" }
    /// `…`, whatever the value is.
    public var debugDescription: String { description }
    /// Without children, so that `dump` and whatever else looks into a value finds nothing there.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
