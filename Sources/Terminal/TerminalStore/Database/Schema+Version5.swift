extension Schema {
    /// Refunds are read by the ordering key of their sale; the index contains no other entry.
    static let version5 = """
        CREATE INDEX journal_refunds ON journal (lane) WHERE type = 'refund.completed';
        """
}
