import Testing

@testable import Credentials

@Suite struct PINAttemptsTests {
    @Test("forgives four wrong PINs and makes the fifth wait a minute") func waits() {
        var attempts = PINAttempts()
        for moment in 0..<4 { attempts.noteWrong("ann", at: Int64(moment)) }
        #expect(attempts.wait(of: "ann", at: 4) == nil)
        attempts.noteWrong("ann", at: 1_000)
        #expect(attempts.wait(of: "ann", at: 1_000) == 60_000)
        #expect(attempts.wait(of: "ann", at: 60_999) == 1)
        #expect(attempts.wait(of: "ann", at: 61_000) == nil)
        #expect(attempts.wait(of: "ben", at: 1_000) == nil)
    }

    @Test("waits again after each further wrong one, until a right one") func again() {
        var attempts = PINAttempts()
        for moment in 0..<5 { attempts.noteWrong("ann", at: Int64(moment)) }
        attempts.noteWrong("ann", at: 70_000)
        #expect(attempts.wait(of: "ann", at: 70_000) == 60_000)
        attempts.noteRight("ann")
        attempts.noteWrong("ann", at: 140_000)
        #expect(attempts.wait(of: "ann", at: 140_000) == nil)
    }

    @Test("remembers a bounded number of people, the newest") func bounded() {
        var attempts = PINAttempts()
        for _ in 0..<5 { attempts.noteWrong("first", at: 0) }
        for person in 0..<10_000 { attempts.noteWrong("person \(person)", at: Int64(person + 1)) }
        #expect(attempts.wait(of: "first", at: 10) == nil)
    }
}
