package import HubProtocol
package import Retail
internal import GRDB

/// The carts that this till claimed of others: the table `cart_claims`.
extension SQLiteRights {
    /// Keeps a claim; durable when it returns. The oldest beyond ``NeighbourLimits/cartClaimsKept`` go.
    ///
    /// - Parameter now: Unix milliseconds.
    package func keep(_ claim: RightClaim, of owner: String, at now: Int64) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            try connection.execute(
                sql: """
                    INSERT OR REPLACE INTO cart_claims (claim_id, owner, body, claimed_at) VALUES (?, ?, ?, ?)
                    """,
                arguments: [claim.claimId, owner, claim.json.canonicalText, now])
            // Of one moment those with higher ids are newer: a row of just now stays.
            try connection.execute(
                sql: """
                    DELETE FROM cart_claims WHERE claim_id <> ?1 AND claim_id NOT IN
                        (SELECT claim_id FROM cart_claims ORDER BY claimed_at DESC, claim_id DESC LIMIT ?2)
                    """, arguments: [claim.claimId, NeighbourLimits.cartClaimsKept])
        }
    }

    /// With the tills that they were sent to; those that cannot be read are left out.
    package func wantedCarts() async throws(StorageError) -> [(claim: RightClaim, owner: String)] {
        try await database.ledgerRead { connection in
            try Row.fetchAll(connection, sql: "SELECT owner, body FROM cart_claims ORDER BY claim_id")
                .compactMap { row in
                    let json = try? JSONParser.parse((row["body"] as String).utf8)
                    return json.flatMap { try? RightClaim(json: $0) }.map { ($0, row["owner"] as String) }
                }
        }
    }
}
