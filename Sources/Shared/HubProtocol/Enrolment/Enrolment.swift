package import Base

/// The body of `POST /v1/terminals`.
package struct EnrolmentRequest: Fact {
    /// From `pos-hub enrol-code`. It opens one store, works once and expires.
    @Secret package private(set) var enrolmentCode: String = ""
    /// For the operators' lists: 1 to 100 characters, without controls and marks of the writing direction.
    package private(set) var name = ""
    /// The device's Ed25519 public key, 32 bytes in base64.
    package private(set) var publicKey = ""

    /// Makes a request without a check; the hub checks code, name and key.
    package init(enrolmentCode: String, name: String, publicKey: String) {
        self.enrolmentCode = enrolmentCode
        self.name = name
        self.publicKey = publicKey
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("enrolmentCode", &enrolmentCode)
        try m.text("name", &name)
        try m.text("publicKey", &publicKey)
    }
}

/// The `201` of `POST /v1/terminals`.
package struct EnrolmentGrant: Fact {
    /// A ULID, assigned by the hub. It is in each token, and on every mutation at the hub.
    package private(set) var terminalId = ""
    /// The store of the enrolment code, for example `S1`. Order numbers begin with it.
    package private(set) var storeId = ""
    /// Unique within the store, from 1.
    package private(set) var terminalNumber: Int64 = 0
    /// The device token for `Authorization: Bearer`. Secret; signed by the hub.
    @Secret package private(set) var token: String = ""
    /// RFC 3339.
    package private(set) var tokenExpiresAt = ""
    /// From 1: the epoch that the journal begins with; this hub always sends 1.
    package private(set) var epoch: Int64 = 0
    /// RFC 3339.
    package private(set) var hubTime = ""
    /// The keys that the terminal pins; nil from a hub of before.
    package private(set) var hubKeys: HubKeyList?

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

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("epoch", &epoch, in: 1...(1 << 31))
        try m.part("hubKeys", &hubKeys, .valid)
        try m.text("hubTime", &hubTime)
        try m.text("storeId", &storeId)
        try m.text("terminalId", &terminalId)
        try m.number("terminalNumber", &terminalNumber, in: 1...(1 << 31))
        try m.text("token", &token)
        try m.text("tokenExpiresAt", &tokenExpiresAt)
    }
}
