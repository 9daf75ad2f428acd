import Testing

@testable import OfflineCore

@Suite("Response window")
struct ResponseWindowTests {
    @Test("A response counts once, in whatever order the responses come")
    func once() {
        #expect(booked([3, 1, 2, 7, 5, 4, 6]) == [true, true, true, true, true, true, true])
        #expect(
            booked([3, 1, 3, 1, 2, 2, 7, 3, 7]) == [
                true, true, false, false, true, false, true, false, false,
            ])
    }

    @Test("Sixty-three probes back is inside the window, one more is too late")
    func edge() {
        #expect(booked([100, 37, 36]) == [true, true, false])
        #expect(booked([100, 1_000, 100]) == [true, true, false])
        #expect(booked([.max, .max - 63, .max - 64]) == [true, true, false])
    }

    private func booked(_ sequences: [UInt64]) -> [Bool] {
        var window = ResponseWindow()
        return sequences.map { window.book($0) }
    }
}
