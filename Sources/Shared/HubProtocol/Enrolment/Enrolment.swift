package import Base

/// The body of `POST /v1/terminals`.
package struct EnrolmentRequest: Hashable, Sendable {
    /// From `pos-hub enrol-code`. It opens one store, works once and expires.
    @Secret package private(set) var enrolmentCode: String
    /// For the operators' lists: 1 to 100 characters, without controls and marks of the writing direction.
    package let name: String
    /// The device's Ed25519 public key, 32 bytes in base64.
    package let publicKey: String

    /// Makes a request without a check; the hub checks code, name and key.
    package init(enrolmentCode: String, name: String, publicKey: String) {
        self.enrolmentCode = enrolmentCode
        self.name = name
        self.publicKey = publicKey
    }

    /// Reads the body. Throws ``ShapeError`` only for a member that is missing or is not a string.
    package init(json: JSONValue) throws(ShapeError) {
        enrolmentCode = try json.requiredString("enrolmentCode")
        name = try json.requiredString("name")
        publicKey = try json.requiredString("publicKey")
    }

    /// `{"enrolmentCode","name","publicKey"}`.
    package var json: JSONValue {
        [
            "enrolmentCode": .string(enrolmentCode), "name": .string(name), "publicKey": .string(publicKey),
        ]
    }
}

/// The `201` of `POST /v1/terminals`.
package struct EnrolmentGrant: Hashable, Sendable {
    /// A ULID, assigned by the hub. It is in each token, and on every mutation at the hub.
    package let terminalId: String
    /// The store of the enrolment code, for example `S1`. Order numbers begin with it.
    package let storeId: String
    /// Unique within the store, from 1.
    package let terminalNumber: Int64
    /// The device token for `Authorization: Bearer`. Secret; signed by the hub.
    @Secret package private(set) var token: String
    /// RFC 3339.
    package let tokenExpiresAt: String
    /// From 1: the epoch that the journal begins with; this hub always sends 1.
    package let epoch: Int64
    /// RFC 3339.
    package let hubTime: String
    /// The keys that the terminal pins; nil from a hub of before.
    package let hubKeys: HubKeyList?

    /// Makes a grant; the two times are RFC 3339. Without `hubKeys` the member is left out.
    package init(
        terminalId: String, storeId: String, terminalNumber: Int64, token: String, tokenExpiresAt: String,
        epoch: Int64, hubTime: String, hubKeys: HubKeyList? = nil
    ) {
        self.terminalId = terminalId
        self.storeId = storeId
        self.terminalNumber = terminalNumber
        self.token = token
        self.tokenExpiresAt = tokenExpiresAt
        self.epoch = epoch
        self.hubTime = hubTime
        self.hubKeys = hubKeys
    }

    /// Reads the response. Throws ``ShapeError`` for a number or epoch outside 1 to 2³¹, or keys that are
    /// malformed.
    package init(json: JSONValue) throws(ShapeError) {
        terminalId = try json.requiredString("terminalId")
        storeId = try json.requiredString("storeId")
        terminalNumber = try json.requiredInteger("terminalNumber", in: 1...(1 << 31))
        token = try json.requiredString("token")
        tokenExpiresAt = try json.requiredString("tokenExpiresAt")
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        hubTime = try json.requiredString("hubTime")
        hubKeys = try HubKeyList(ofResponse: json)
    }

    /// The response; `hubKeys` is in it only where there are keys.
    package var json: JSONValue {
        var members: JSONObject = [
            "terminalId": .string(terminalId), "storeId": .string(storeId),
            "terminalNumber": .integer(terminalNumber), "token": .string(token),
            "tokenExpiresAt": .string(tokenExpiresAt), "epoch": .integer(epoch), "hubTime": .string(hubTime),
        ]
        if let hubKeys { members["hubKeys"] = hubKeys.json }
        return .object(members)
    }
}
