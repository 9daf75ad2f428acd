/// What a drain left in the hub's tables, written a second time by nothing but the database's own interface.
protocol RawIntake {
    /// Takes over what came into the hub's tables since the last time. Not part of the figure.
    func load() throws(BenchFailure)

    /// Writes it into a copy of the tables, in batches, each durable before the next.
    func insert() throws(BenchFailure)
}
