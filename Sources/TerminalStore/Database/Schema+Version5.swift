extension Schema {
    /// Refunds are read by the lane of their sale; no other entry pays for the index.
    static let version5 = """
        CREATE INDEX journal_refunds ON journal (lane) WHERE type = 'refund.completed';
        """
}
