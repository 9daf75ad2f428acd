import TerminalStore
import Testing

@Suite("The event recording's files")
struct EventRecorderFileTests {
    @Test("keep lines in order, over a restart")
    func order() throws {
        let home = try TemporaryHome()
        for run in 0..<2 {
            let recorder = EventRecorderFile(home: home.path)
            for line in 0..<100 { recorder.append("\(run).\(line)") }
            recorder.flush()
        }
        let text = String(decoding: try home.read("flight.log"), as: UTF8.self)
        let expected = (0..<2).flatMap { run in (0..<100).map { "\(run).\($0)" } }
        #expect(text.split(separator: "\n").map(String.init) == expected)
    }

    @Test("never grow beyond two files of their size, and the newest lines are there")
    func bounded() throws {
        let home = try TemporaryHome()
        let recorder = EventRecorderFile(home: home.path, maximumBytes: 1000)
        for line in 0..<1000 {
            recorder.append("line \(line) of a long day")
            if line % 10 == 0 { recorder.flush() }
        }
        recorder.flush()
        #expect(try home.names() == ["flight.log", "flight.old.log"])
        #expect(try home.read("flight.log").count <= 1000)
        #expect(try home.read("flight.old.log").count <= 1000)
        let text = String(decoding: try home.read("flight.log"), as: UTF8.self)
        #expect(text.hasSuffix("line 999 of a long day\n"))
    }

    @Test("contain the number of lines that were dropped when the disk was too slow")
    func dropped() throws {
        let home = try TemporaryHome()
        let recorder = EventRecorderFile(home: home.path, maximumBuffered: 50)
        recorder.append(String(repeating: "x", count: 60))
        recorder.append("kept")
        recorder.flush()
        let text = String(decoding: try home.read("flight.log"), as: UTF8.self)
        #expect(text == "kept\n{\"dropped\":1}\n")
    }

    @Test("that cannot be written block nothing")
    func unwritable() {
        let recorder = EventRecorderFile(home: "/nonexistent/home")
        recorder.append("lost")
        recorder.flush()
    }
}
