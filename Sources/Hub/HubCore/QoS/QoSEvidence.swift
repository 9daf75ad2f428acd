import OfflineCore

/// What a decision by reports was made from.
package struct QoSEvidence: Hashable, Sendable {
    /// A terminal whose own requests failed, with its counts in the window.
    package struct Terminal: Hashable, Sendable {
        /// The terminal's ULID.
        package let terminalId: String
        /// The store that the terminal belongs to.
        package let storeId: String
        /// Requests in the window that succeeded.
        package let ok: Int
        /// Requests in the window that failed, of every kind.
        package let failed: Int

        package init(terminalId: String, storeId: String, ok: Int, failed: Int) {
            self.terminalId = terminalId
            self.storeId = storeId
            self.ok = ok
            self.failed = failed
        }
    }

    /// A store and how many of its terminals failed.
    package struct Store: Hashable, Sendable {
        /// The store's id, as in the order numbers of its terminals.
        package let storeId: String
        /// Failing terminals of this store, at least 1.
        package let failing: Int

        package init(storeId: String, failing: Int) {
            self.storeId = storeId
            self.failing = failing
        }
    }

    /// How long the window was.
    package let seconds: Int64
    /// Requests in the window, of each terminal ``QoSSettings/countedRequests`` at most.
    package let requests: Int
    /// Terminals that had a vote.
    package let voting: Int
    /// Terminals of these that failed.
    package let failing: Int
    /// How many stores the failing ones belong to.
    package let failingStores: Int
    /// The failing terminals, by store and id, ``maximumListed`` at most.
    package let terminals: [Terminal]
    /// The stores that they belong to, by id, ``maximumListed`` at most.
    package let stores: [Store]

    /// An operator looks at a handful; half as many would leave out half of a medium store, and each entry
    /// is kept with every change of the service (some 80 bytes).
    fileprivate static let maximumListed = 20

    /// Makes evidence of counts that are already bounded; both lists hold ``maximumListed`` entries at most.
    package init(
        seconds: Int64, requests: Int, voting: Int, failing: Int, failingStores: Int, terminals: [Terminal],
        stores: [Store]
    ) {
        self.seconds = seconds
        self.requests = requests
        self.voting = voting
        self.failing = failing
        self.failingStores = failingStores
        self.terminals = terminals
        self.stores = stores
    }

    /// The evidence as one line. Made of votes alone, so that no count of one terminal shows up at others.
    var text: String {
        "\(failing) of \(voting) terminals fail, of \(failingStores) "
            + "\(failingStores == 1 ? "store" : "stores"), in \(seconds) s"
    }
}

/// What the terminals of a group reported within a window: one vote each.
struct VoteCount: Hashable, Sendable {
    private(set) var requests = 0
    private(set) var voting = 0
    private(set) var failing: [QoSEvidence.Terminal] = []

    mutating func add(_ terminal: QoSEvidence.Terminal, _ settings: QoSSettings) {
        let vote = Vote(ok: terminal.ok, failed: terminal.failed, settings)
        requests += vote.requests
        if vote.isCast { voting += 1 }
        if vote.fails { failing.append(terminal) }
    }

    /// The evidence when `quorum` is reached, else nil.
    ///
    /// - Parameters:
    ///   - requests: the least number of requests.
    ///   - seconds: the length of the window.
    func evidence(for quorum: QoSSettings.Quorum, requests least: Int, seconds: Int64) -> QoSEvidence? {
        guard requests >= least, failing.count >= quorum.terminals, failing.count * 2 > voting else {
            return nil
        }
        let stores = Dictionary(grouping: failing, by: \.storeId).mapValues(\.count)
        guard stores.count >= quorum.stores else { return nil }
        let listed = failing.sorted { ($0.storeId, $0.terminalId) < ($1.storeId, $1.terminalId) }
        return QoSEvidence(
            seconds: seconds, requests: requests, voting: voting, failing: failing.count,
            failingStores: stores.count, terminals: Array(listed.prefix(QoSEvidence.maximumListed)),
            stores: stores.sorted { $0.key < $1.key }.prefix(QoSEvidence.maximumListed).map {
                QoSEvidence.Store(storeId: $0.key, failing: $0.value)
            })
    }
}

/// What one terminal's counts are worth: one vote, whatever its volume.
struct Vote: Hashable, Sendable {
    /// Requests that count for the least number of a quorum.
    let requests: Int
    /// Whether there were enough for a vote.
    let isCast: Bool
    /// At least half of them failed.
    let fails: Bool

    init(ok: Int, failed: Int, _ settings: QoSSettings) {
        let all = ok + failed
        requests = min(all, settings.countedRequests)
        isCast = all >= settings.voteRequests
        fails = isCast && failed * 2 >= all
    }
}
