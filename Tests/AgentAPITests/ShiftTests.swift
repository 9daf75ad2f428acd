import HubProtocol
import Testing

@testable import AgentAPI

@Suite("Shifts between pos and its agent")
struct ShiftTests {
    private static let common = """
        "businessDay":"2026-11-21","cash":{"counted":null,"difference":null,"expected":20000},\
        "cashMoves":{"drop":0,"in":0,"noSale":0,"out":0},"closedAt":null,"closedBy":null,"currency":"CNY",\
        "float":20000,"head":"h","openedAt":"2026-11-21T09:00:00.000Z","openedBy":"c1",\
        "points":{"earned":0,"spent":0},"refunds":{"count":0,"total":0},"sales":{"count":0,"total":0},\
        "sequence":{"from":1,"to":1},"shiftId":"s","state":"open","statement":null,"taxes":[],"tenders":[],\
        "voids":{"count":0,"total":0}
        """

    @Test("A shift names the cards that were refused after it, with what of them is open")
    func debts() throws {
        let shift = try checkDocument(
            ShiftRecord.self,
            """
            {\(Self.common),"debts":[{"amount":1250,"id":"k1","orderNumber":"S1-1-20261121-0007",\
            "reason":"stolen card","state":"open"},{"amount":5,"id":"k2","orderNumber":null,"reason":null,\
            "state":"settled"}],"debtTotal":1250}
            """,
            // The sums are read as in a payload, which names what is missing otherwise.
            optional: [
                "debts", "debtTotal", "points", "sales", "refunds", "voids", "cashMoves", "tenders", "taxes",
            ])
        #expect(shift.debts.map(\.isSettled) == [false, true] && shift.debtTotal == 1250)
        #expect(shift.debts.first?.orderNumber == "S1-1-20261121-0007")
    }

    @Test("A shift of an agent that knows no debts has none")
    func before() throws {
        let shift = try ShiftRecord(json: try JSONParser.parse("{\(Self.common)}".utf8))
        #expect(shift.debts == [] && shift.debtTotal == 0)
    }
}
