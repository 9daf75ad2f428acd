/// A value that a line of the event recording can contain.
protocol RecordedValue {
    func write(to writer: inout RecordingFieldWriter)
    init(from reader: inout RecordingFieldReader) throws(RecordingLineError)
}

/// Writes fields, one space between them.
struct RecordingFieldWriter {
    private(set) var text = ""

    mutating func field(_ text: some StringProtocol) {
        if !self.text.isEmpty { self.text += " " }
        self.text += text
    }

    mutating func put(_ value: some RecordedValue) { value.write(to: &self) }
}

/// Reads fields in the order they were written.
struct RecordingFieldReader {
    private let fields: [String]
    private var index = 0

    init(_ text: some StringProtocol) {
        fields = String(text).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }

    /// The error for the field that was read last.
    var malformed: RecordingLineError { .malformed(field: max(0, index - 1)) }

    mutating func field() throws(RecordingLineError) -> String {
        guard index < fields.count else { throw .malformed(field: index) }
        index += 1
        return fields[index - 1]
    }

    /// Takes the next field if it is `text`.
    mutating func skip(_ text: String) -> Bool {
        guard index < fields.count, fields[index] == text else { return false }
        index += 1
        return true
    }

    mutating func take<Value: RecordedValue>(
        _ type: Value.Type = Value.self
    ) throws(RecordingLineError) -> Value {
        try Value(from: &self)
    }

    func expectEnd() throws(RecordingLineError) {
        guard index == fields.count else { throw .malformed(field: index) }
    }
}
