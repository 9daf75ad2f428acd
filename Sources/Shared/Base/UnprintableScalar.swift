/// What every program of the project prints passes this one test, on terminals and on hubs.
extension Unicode.Scalar {
    /// Whether a screen or printer acts on the character instead of showing it: controls (C0, DEL, C1), the
    /// line and paragraph separators, the marks, embeddings, overrides and isolates of the writing direction,
    /// the anchors of annotations, tags and the byte-order mark. Joiners stay, since scripts and emoji need
    /// them.
    ///
    /// By number: the look-up of Unicode properties for each character of receipts and documents was the
    /// costliest function of a sale. These are General_Category Cc, Zl and Zp and Bidi_Control, which
    /// Unicode's stability policy has closed, so that no later version adds to them.
    public var isUnprintable: Bool {
        switch value {
        // Most texts are nothing else.
        case 0x20...0x7E: false
        // C0, DEL and C1.
        case ...0x9F: true
        // The writing direction: marks, embeddings and overrides behind the two separators, isolates.
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        // The byte-order mark, anchors of annotations, tags.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        // Letters of every script, joiners and emoji.
        default: false
        }
    }
}
