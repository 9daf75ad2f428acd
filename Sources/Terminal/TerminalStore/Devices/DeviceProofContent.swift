internal import HubProtocol
import Retail

/// What the column `proof` holds.
enum DeviceProofContent {
    static func json(_ proof: DeviceProof) -> JSONValue {
        var members: JSONObject = [
            "reference": .string(proof.reference), "approvalCode": .string(proof.approvalCode),
        ]
        members["machineId"] = proof.machineId.map(JSONValue.string)
        members["receipt"] = proof.receipt.map(JSONValue.integer)
        members["brand"] = proof.brand.map(JSONValue.string)
        members["last4"] = proof.last4.map(JSONValue.string)
        if proof.isOffline { members["offline"] = true }
        if proof.isSimulated { members["simulated"] = true }
        members["decidedBy"] = proof.decidedBy.map(JSONValue.string)
        for (name, lines) in [("customer", proof.customerPaper), ("merchant", proof.merchantPaper)]
        where !lines.isEmpty {
            members[name] = .array(lines.map(JSONValue.string))
        }
        return .object(members)
    }

    static func proof(_ text: String) -> DeviceProof? {
        guard let json = try? JSONParser.parse(text.utf8), let reference = json["reference"]?.string else {
            return nil
        }
        var proof = DeviceProof(reference: reference)
        proof.approvalCode = json["approvalCode"]?.string ?? ""
        proof.machineId = json["machineId"]?.string
        proof.receipt = json["receipt"]?.integer
        proof.brand = json["brand"]?.string
        proof.last4 = json["last4"]?.string
        proof.isOffline = json["offline"] == true
        proof.isSimulated = json["simulated"] == true
        proof.decidedBy = json["decidedBy"]?.string
        proof.customerPaper = json["customer"]?.array?.compactMap(\.string) ?? []
        proof.merchantPaper = json["merchant"]?.array?.compactMap(\.string) ?? []
        return proof
    }
}
