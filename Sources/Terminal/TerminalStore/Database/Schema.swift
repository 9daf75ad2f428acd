internal import GRDB

/// The versions of the terminal's schema and the way from each to the next.
enum Schema {
    /// `PRAGMA application_id`: "HOLD".
    static let applicationId: Int64 = 0x484F_4C44
    /// The newest version of this build.
    static var current: Int64 { Int64(steps.count) }

    /// The SQL of each version, on top of the ones before it.
    static let steps = [
        version1, version2, version3, version4, version5, version6, version7, version8, version9,
    ]

    /// Brings the database up to ``current``, one transaction a version.
    static func migrate(_ database: Database) throws {
        var version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        while version < current {
            try database.inTransaction {
                try database.execute(sql: steps[Int(version)])
                try database.execute(sql: "PRAGMA user_version = \(version + 1)")
                try database.execute(sql: "PRAGMA application_id = \(applicationId)")
                return .commit
            }
            version += 1
        }
    }
}
