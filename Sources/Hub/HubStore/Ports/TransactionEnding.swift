/// Whether a transaction's changes stay.
enum TransactionEnding<Value: Sendable>: Sendable {
    case keep(Value)
    case undo(Value)
}
