extension Schema {
    /// Not released yet: statements may be added here.
    static let version8 = """
        -- Each statement says what it is for.
        """
}
