package import HubCore
package import HubProtocol

/// The terminal that enrols.
package struct EnrolmentApplicant: Hashable, Sendable {
    /// The id that the terminal gets, a ULID.
    package let terminalId: String
    /// What the code shown may be kept as; the first one that is known counts.
    package let codeDigests: [String]
    /// The text that the terminal gave itself, for operators; it need not be unique.
    package let name: String
    /// Ed25519, 32 bytes in base64.
    package let publicKey: String
    /// Until when its first token holds, in milliseconds since 1970.
    package let tokenExpiresAt: Int64

    /// An applicant whose code can be kept as one digest only.
    package init(
        terminalId: String, codeDigest: String, name: String, publicKey: String, tokenExpiresAt: Int64
    ) {
        self.init(
            terminalId: terminalId, codeDigests: [codeDigest], name: name, publicKey: publicKey,
            tokenExpiresAt: tokenExpiresAt)
    }

    /// An applicant with the digests of the code under each key of the hub; they are looked up in this order.
    package init(
        terminalId: String, codeDigests: [String], name: String, publicKey: String, tokenExpiresAt: Int64
    ) {
        self.terminalId = terminalId
        self.codeDigests = codeDigests
        self.name = name
        self.publicKey = publicKey
        self.tokenExpiresAt = tokenExpiresAt
    }
}

/// One page of the change feed.
package struct FeedPage: Hashable, Sendable {
    /// In the order of the feed, within the requested number of rows and ``PageLimit/bytes``; a single
    /// row may be larger.
    package let changes: [Change]
    /// The place behind the last change of this page; the next request begins there.
    package let cursor: ChangeCursor
    /// Whether the feed has more behind ``cursor`` for this store.
    package let hasMore: Bool
    /// Since when members of the page have their phones, by their ids; those who have theirs by the hub's
    /// import are not in it.
    package let phoneSince: [String: String]

    /// Makes a page; by default no member of it has a `phoneSince`.
    package init(
        changes: [Change], cursor: ChangeCursor, hasMore: Bool, phoneSince: [String: String] = [:]
    ) {
        self.changes = changes
        self.cursor = cursor
        self.hasMore = hasMore
        self.phoneSince = phoneSince
    }
}

/// Entries that are missing before one that is here, outside the last epoch's own gaps.
package struct MissingEntries: Hashable, Sendable {
    /// The epoch of the entry behind them.
    package let epoch: Int64
    /// At least these.
    package let sequences: ClosedRange<Int64>

    /// What a comparison of the epochs found.
    package init<Store: IntakeTransaction>(_ gap: EpochComparison<Store>.Gap) {
        epoch = gap.epoch
        sequences = gap.sequences
    }

    /// `{"epoch","from","through"}`.
    package var json: JSONValue {
        [
            "epoch": .integer(epoch), "from": .integer(sequences.lowerBound),
            "through": .integer(sequences.upperBound),
        ]
    }
}

/// One terminal's journal as `pos-hub audit` shows it.
package struct TerminalAudit: Hashable, Sendable {
    /// The terminal's ULID.
    package let terminalId: String
    /// In the terminal's last epoch.
    package let acknowledgedThrough: Int64
    /// Mutations accepted, over all epochs.
    package let received: Int64
    /// Mutations of ``received`` that were not applied: results `rejected` and `conflict`.
    package let rejected: Int64
    /// The first sequences that are missing in the last epoch.
    package let missing: [Int64]
    /// The first sequence that the chain does not hold at; nil while it is intact.
    package let brokenAt: Int64?
    /// Finished sales accepted.
    package let orders: Int64
    /// Their sums, each currency by itself, the most used first.
    package let totals: [CurrencySum]
    /// Those of them that were voided.
    package let voided: SaleSum
    /// What this terminal gave back, for sales of any terminal; ``SaleSum/orders`` counts refunds.
    package let refunds: SaleSum
    /// Sales with a refusal that no operator has resolved yet: money that was taken and is not in ``total``.
    package let refused: SaleSum
    /// Sales that a person discarded.
    package let discarded: SaleSum
    /// Sales and refunds whose stored sums, in orders or figures, are not those of the journal, and confirmed
    /// shifts whose sums are not those of the journal feed's documents: ids of mutations and of shifts.
    package let differingSums: [String]
    /// The comparison with the terminal's signed heads.
    package let heads: HeadAudit
    /// Entries that are missing before others, at the beginnings of epochs and within earlier ones.
    package let missingBefore: [MissingEntries]
    /// Epochs before the last one of which nothing is here: they were opened after the backup that the store
    /// was made of. What lies on the terminal's disk comes under a later one.
    package let skippedEpochs: [Int64]
    /// Files that were ingested without the device key's signature, newest first; at most 20.
    package let unsignedIngests: [IngestRecord]

    /// Makes an audit. By default every sum is zero, nothing was signed and nothing differs.
    package init(
        terminalId: String, acknowledgedThrough: Int64, received: Int64, rejected: Int64, missing: [Int64],
        brokenAt: Int64?, orders: Int64, totals: [CurrencySum], voided: SaleSum = .none,
        refunds: SaleSum = .none, refused: SaleSum = .none,
        discarded: SaleSum = .none, heads: HeadAudit = .none,
        missingBefore: [MissingEntries] = [], skippedEpochs: [Int64] = [],
        unsignedIngests: [IngestRecord] = [], differingSums: [String] = []
    ) {
        self.differingSums = differingSums
        self.terminalId = terminalId
        self.acknowledgedThrough = acknowledgedThrough
        self.received = received
        self.rejected = rejected
        self.missing = missing
        self.brokenAt = brokenAt
        self.orders = orders
        self.totals = totals
        self.voided = voided
        self.refunds = refunds
        self.refused = refused
        self.discarded = discarded
        self.heads = heads
        self.missingBefore = missingBefore
        self.skippedEpochs = skippedEpochs
        self.unsignedIngests = unsignedIngests
    }

    /// Whether a person has to look at it: a broken chain, something missing, a head that nothing explains, a
    /// sum that is not the journal's.
    package var hasTrouble: Bool {
        brokenAt != nil || !missing.isEmpty || !missingBefore.isEmpty || heads.hasTrouble
            || !differingSums.isEmpty
    }

    /// The most sums that are listed of a terminal; one is enough to look.
    package static let listedSums = 20

    /// Minor units of the most used currency.
    package var total: Int64 { totals.first?.amount ?? 0 }
    /// The most used one; before the first sale ISO 4217's code for "no currency".
    package var currency: String { totals.first?.currency ?? NoCurrency.code }

    /// What is left of ``totals`` after voids and refunds, each currency by itself.
    package var net: [CurrencySum] {
        let currencies = totals.map(\.currency)
        let others = refunds.amounts.map(\.currency).filter { !currencies.contains($0) }
        return (currencies + others).map { currency in
            func sum(_ sums: [CurrencySum]) -> CurrencySum? { sums.first { $0.currency == currency } }
            let parts = [sum(totals), sum(voided.amounts), sum(refunds.amounts)]
            let amounts = parts.map { Int128($0?.amount ?? 0) }
            return CurrencySum(
                currency: currency, orders: (parts[0]?.orders ?? 0) - (parts[1]?.orders ?? 0),
                sum: amounts[0] - amounts[1] - amounts[2])
        }
    }

    /// Whether a sum of this terminal is too large to be shown.
    package var exceeds: Bool {
        (totals + refunds.amounts + refused.amounts + discarded.amounts).contains(where: \.exceeds)
    }

    /// The terminal's entry in the output of `pos-hub audit --json`; times are RFC 3339, amounts minor units.
    package var json: JSONValue {
        var members: JSONObject = [
            "terminalId": .string(terminalId), "acknowledgedThrough": .integer(acknowledgedThrough),
            "received": .integer(received), "rejected": .integer(rejected),
            "missing": .array(missing.map(JSONValue.integer)),
            "chain": .string(brokenAt == nil ? "intact" : "broken"), "brokenAt": JSONValue(brokenAt),
            "orders": .integer(orders),
            "total": ["amount": .integer(total), "currency": .string(currency)],
            "totals": .array(totals.map(\.json)), "exceeds": .bool(exceeds),
            "voided": voided.json, "refunds": refunds.json, "net": .array(net.map(\.json)),
            "refused": refused.json, "discarded": discarded.json,
        ]
        for (key, value) in heads.members { members[key] = value }
        members["missingBefore"] = .array(missingBefore.map(\.json))
        members["skippedEpochs"] = .array(skippedEpochs.map(JSONValue.integer))
        members["trouble"] = .bool(hasTrouble)
        members["sums"] = .string(differingSums.isEmpty ? "intact" : "differ")
        members["differingSums"] = .array(differingSums.map(JSONValue.string))
        members["unsignedIngests"] = .array(unsignedIngests.map(\.json))
        return .object(members)
    }
}
