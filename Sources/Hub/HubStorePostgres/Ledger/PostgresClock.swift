internal import HubCore

/// The hub's clock over all processes: a moment that one of them took is never another's.
///
/// Moments are taken ahead, in a transaction of their own that waits for no disk: what is written with them
/// later is synced behind them in the same log, so they outlive a crash whenever they were used. Nobody holds
/// the clock while it works.
enum PostgresClock {
    /// Sets the moments of the next `count` ticks aside. Called outside of a transaction: within one it
    /// would hold the clock, and take its sync away.
    ///
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    /// - Returns: the clock before those ticks.
    static func reserve(
        _ count: Int, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> HybridLogicalClock {
        let last = try connection.query(
            // The setting is of this transaction alone; it stands in the condition to be done before it ends.
            "UPDATE clock SET moment = GREATEST(moment, $1) + $2 "
                + "WHERE set_config('synchronous_commit', 'off', true) = 'off' RETURNING moment - $2",
            [.integer(max(0, now) * perMillisecond), .integer(Int64(count))]
        ).first
        guard let last else { throw .refused(state: "-----", message: "the clock is gone") }
        return HybridLogicalClock(moment: try last.integer(0))
    }

    /// A clock's moment as the database counts it.
    static func moment(of clock: HybridLogicalClock) -> Int64 {
        clock.milliseconds * perMillisecond + clock.counter
    }

    fileprivate static let perMillisecond: Int64 = 1_000_000
}

extension HybridLogicalClock {
    /// The clock at a moment as the database counts it.
    fileprivate init(moment: Int64) {
        self.init(
            milliseconds: moment / PostgresClock.perMillisecond,
            counter: moment % PostgresClock.perMillisecond)
    }
}
