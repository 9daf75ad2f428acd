/// Why a question about people or offers has no answer.
public enum InquiryError: Error, Hashable, Sendable {
    /// The hub did not answer, or not in words that are understood: decide from the till's own copy.
    case unclear(detail: String)
    /// The store on disk failed; `detail` is its own word.
    case unavailable(detail: String)
}
