extension Duration {
    /// The duration in nanoseconds, the part below one nanosecond dropped. About ±292 years fit.
    public var wholeNanoseconds: Int64 {
        Int64(truncatingIfNeeded: attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, the part below one millisecond dropped.
    public var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
