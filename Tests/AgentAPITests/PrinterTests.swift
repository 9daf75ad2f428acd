import HubProtocol
import Testing

@testable import AgentAPI

@Suite("The printer between pos and its agent")
struct PrinterTests {
    private static let job = """
        {"id":"J1","kind":"receipt","title":"T1-1","orderId":null,"createdAt":"2026-11-22T16:00:00.000Z",\
        "state":"waiting","copy":false}
        """

    @Test("Printer, test page, retry and receipt are read and written without a change, and miss each member")
    func responses() throws {
        for kind in ["receipt", "refund", "void", "shift", "test"] {
            _ = try checkDocument(
                PrintJobRecord.self,
                Self.job.replacing(#""kind":"receipt""#, with: "\"kind\":\"\(kind)\""))
        }
        for state in ["untried", "ready", "paper_low", "paper_out", "no_response"] {
            _ = try checkDocument(
                PrinterTestCall.Response.self, "{\"jobId\":\"J1\",\"state\":\"\(state)\"}")
        }
        let status = try checkDocument(
            PrinterCall.Response.self,
            """
            {"device":null,"width":80,"language":"en","state":"none","detail":null,"jobs":[\(Self.job)],"damaged":1}
            """)
        #expect(status.jobs.count == 1)
        _ = try checkDocument(PrinterRetryCall.Response.self, "{\"jobs\":[\(Self.job)]}")
        _ = try checkDocument(
            ReceiptCall.Response.self,
            """
            {"orderId":"O1","orderNumber":"T1-1","copy":true,"receipt":"…","escpos":"G0A=","jobId":null}
            """)
    }

    @Test("Requests for papers arrive as they were sent, and what is printed is always a copy")
    func calls() throws {
        for id in [nil, "J1"] {
            let call = PrinterRetryCall(id: id)
            #expect(try PrinterRetryCall(body: received(call)).id == id)
        }
        #expect(throws: RequestRefusal.self) { try PrinterRetryCall(body: ["job": "J1"]) }
        #expect(throws: RequestRefusal.self) { try PrinterRetryCall(body: ["id": 1]) }
        for (isCopy, isPrinted) in [(false, false), (true, false), (false, true), (true, true)] {
            let call = ReceiptCall(id: "T1-1", isCopy: isCopy, isPrinted: isPrinted)
            #expect(call.request.path == "/v1/orders/T1-1/receipt")
            let read = ReceiptCall(id: "T1-1", call.request)
            #expect(read.isCopy == (isCopy || isPrinted) && read.isPrinted == isPrinted)
        }
    }
}
