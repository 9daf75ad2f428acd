/// The body of `POST /v1/terminals`.
public struct EnrolmentRequest: Hashable, Sendable {
    public let enrolmentCode: String
    public let name: String
    /// The device's Ed25519 public key, 32 bytes in base64.
    public let publicKey: String

    public init(enrolmentCode: String, name: String, publicKey: String) {
        self.enrolmentCode = enrolmentCode
        self.name = name
        self.publicKey = publicKey
    }

    public init(json: JSONValue) throws(ShapeError) {
        enrolmentCode = try json.requiredString("enrolmentCode")
        name = try json.requiredString("name")
        publicKey = try json.requiredString("publicKey")
    }

    public var json: JSONValue {
        [
            "enrolmentCode": .string(enrolmentCode), "name": .string(name), "publicKey": .string(publicKey),
        ]
    }
}

/// The `201` of `POST /v1/terminals`.
public struct EnrolmentGrant: Hashable, Sendable {
    public let terminalId: String
    public let storeId: String
    /// Unique within the store, from 1.
    public let terminalNumber: Int64
    public let token: String
    /// RFC 3339.
    public let tokenExpiresAt: String
    public let epoch: Int64
    /// RFC 3339.
    public let hubTime: String
    /// The keys that the terminal pins; nil from a hub of before.
    public let hubKeys: HubKeyList?

    public init(
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

    public init(json: JSONValue) throws(ShapeError) {
        terminalId = try json.requiredString("terminalId")
        storeId = try json.requiredString("storeId")
        terminalNumber = try json.requiredInteger("terminalNumber", in: 1...(1 << 31))
        token = try json.requiredString("token")
        tokenExpiresAt = try json.requiredString("tokenExpiresAt")
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        hubTime = try json.requiredString("hubTime")
        hubKeys = try HubKeyList(ofAnswer: json)
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "terminalId": .string(terminalId), "storeId": .string(storeId),
            "terminalNumber": .integer(terminalNumber), "token": .string(token),
            "tokenExpiresAt": .string(tokenExpiresAt), "epoch": .integer(epoch), "hubTime": .string(hubTime),
        ]
        if let hubKeys { members["hubKeys"] = hubKeys.json }
        return .object(members)
    }
}
