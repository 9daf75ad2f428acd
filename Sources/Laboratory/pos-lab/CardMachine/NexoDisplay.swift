import HubProtocol

internal import Foundation
internal import Glibc

/// Where a machine sends what its shopper has to do: plain HTTP, a connection for each message.
struct NexoDisplay: Sendable {
    let port: UInt16
    let poiId: String
    let seal: NexoSeal?

    /// Sends an event of the request `service` of the till `sale`, and waits for the response, which says
    /// nothing that a machine needs.
    func send(_ event: String, about service: String, of sale: String) {
        let header: JSONValue = [
            "ProtocolVersion": "3.0", "MessageClass": "Device", "MessageCategory": "Display",
            "MessageType": "Request", "ServiceID": .string(service), "DeviceID": "1",
            "SaleID": .string(sale), "POIID": .string(poiId),
        ]
        let request: JSONObject = [
            "MessageHeader": header,
            "DisplayRequest": [
                "DisplayOutput": [
                    [
                        "Device": "CashierDisplay", "InfoQualify": "Status",
                        "OutputContent": [
                            "OutputFormat": "MessageRef",
                            "PredefinedContent": ["ReferenceID": .string("TransactionID=1&event=\(event)")],
                        ],
                    ]
                ]
            ],
        ]
        var body = (["SaleToPOIRequest": .object(request)] as JSONValue).canonicalBytes
        if let seal, var sealed = try? seal.close(body) {
            sealed["MessageHeader"] = header
            body = (["SaleToPOIRequest": .object(sealed)] as JSONValue).canonicalBytes
        }
        post(body)
    }

    private func post(_ body: [UInt8]) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard connect(descriptor) else { return }
        let head = "POST / HTTP/1.1\r\nHost: till\r\nContent-Length: \(body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + body
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var response = [UInt8](repeating: 0, count: 4_096)
        _ = recv(descriptor, &response, response.count, 0)
    }

    private func connect(_ descriptor: Int32) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
