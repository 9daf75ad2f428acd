/// Why a request about people or offers has no result.
public enum InquiryError: Error, Hashable, Sendable {
    /// The hub did not respond, or its response cannot be read: decide from the terminal's own copy.
    case unclear(detail: String)
    /// The store on disk failed; `detail` is the store's own text.
    case unavailable(detail: String)
}
