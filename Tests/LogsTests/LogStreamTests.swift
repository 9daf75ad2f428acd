import HubProtocol
import Logging
import Synchronization
import Testing

@testable import Logs

@Suite("The log of a program")
struct LogStreamTests {
    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [JSONValue] { kept.withLock(\.self).compactMap { try? JSONParser.parse($0.utf8) } }
        func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    private let lines = Lines()

    private func stream(_ level: Logger.Level = .notice) -> LogStream {
        LogStream(level: level) { [lines] in LineLogHandler(format: .json, label: $0) { lines.add($0) } }
    }

    @Test("A line is one JSON object with its metadata beside level, time and message")
    func object() throws {
        var logger = stream().logger(label: "pos-hub")
        logger[metadataKey: "request"] = "R1"
        logger.notice(
            "two\nlines \"quoted\"",
            metadata: ["entries": ["a", "b"], "message": "not the message", "at": "never"])
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1)
        #expect(line["message"] == "two lines \"quoted\"")
        #expect(line["level"] == "notice")
        #expect(line["logger"] == "pos-hub")
        #expect(line["request"] == "R1")
        #expect(line["entries"] == ["a", "b"])
        #expect(line["at"]?.string?.hasSuffix("Z") == true)
    }

    @Test("A line for people says what happened, and a value with a space ends at its quotation mark")
    func text() throws {
        let kept = Mutex<[String]>([])
        let stream = LogStream(level: .notice) { label in
            LineLogHandler(format: .text, label: label) { line in kept.withLock { $0.append(line) } }
        }
        stream.logger(label: "pos-hub").notice(
            "order is faulty",
            metadata: ["scope": "global", "reason": "Exercise of the \"team\"", "subject": "", "at": "a=b"])
        let line = try #require(kept.withLock(\.self).first)
        let end =
            #" notice pos-hub: order is faulty at="a=b" reason="Exercise of the \"team\"" "#
            + #"scope=global subject="""#
        #expect(line.hasSuffix(end), "\(line)")
        #expect(line.prefix(while: { $0 != " " }).hasSuffix("Z"))
    }

    @Test("What a peer wrote stays one line of some kilobytes, and no screen acts on it")
    func peers() throws {
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }
        let hostile = "S\n2026 critical hub : \u{1B}[2J\u{202E}" + String(repeating: "a", count: 1 << 20)
        var logger = stream().logger(label: "pos-hub")
        logger[metadataKey: "shift"] = "\(hostile)"
        logger.error(
            "of \(hostile)", error: Failure(description: hostile), metadata: ["list": ["\(hostile)"]])
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1)
        #expect(line.canonicalBytes.count < 20_000)
        for text in [
            line["message"]?.string, line["shift"]?.string, line["error"]?.string,
            line["list"]?.array?.first?.string,
        ] {
            let text = try #require(text)
            #expect(text.contains("2026 critical hub"))
            #expect(text.utf8.count <= TextBound.page)
            #expect(text.printable == text)
        }
    }

    @Test("The level changes for loggers that are in use, one step at a time, and goes back to the start's")
    func level() {
        let stream = stream(.notice)
        let logger = stream.logger(label: "x")
        logger.info("hidden")
        stream.showMore()
        logger.info("shown")
        logger.debug("hidden")
        for _ in 0..<9 { stream.showMore() }
        #expect(stream.level == .trace)
        logger.trace("shown")
        stream.reset()
        logger.info("hidden")
        #expect(lines.all.compactMap { $0["message"]?.string } == ["shown", "shown"])
    }

    @Test("A level that is set on one logger is its own")
    func ownLevel() {
        let stream = stream(.notice)
        var quiet = stream.logger(label: "x")
        quiet.logLevel = .error
        quiet.warning("hidden")
        stream.logger(label: "y").warning("shown")
        #expect(lines.all.count == 1)
    }

    @Test("A warning that comes again and again is written once, and a minute later how often it came")
    func repeated() throws {
        let ends = Mutex<[@Sendable () -> Void]>([])
        let stream = LogStream(
            level: .notice, repeated: RepeatedLines { end in ends.withLock { $0.append(end) } }
        ) { [lines] label in LineLogHandler(format: .json, label: label) { lines.add($0) } }
        for request in 0..<400 {
            var logger = stream.logger(label: "hub")
            logger[metadataKey: "request"] = "R\(request)"
            logger.warning("the store refused", metadata: ["reason": "it is away"])
        }
        let logger = stream.logger(label: "hub")
        logger.warning("the store refused", metadata: ["reason": "the disk is full"])
        for _ in 0..<2 { logger.notice("a shift is countersigned") }
        #expect(lines.all.compactMap { $0["reason"]?.string } == ["it is away", "the disk is full"])
        #expect(lines.all.count == 4)
        for end in ends.withLock({ $0 }) { end() }
        #expect(lines.all.count == 5)
        #expect(lines.all.last?["again"] == "399 times in 60 s")
        #expect(lines.all.last?["reason"] == "it is away")
        // The next minute begins with a line of its own.
        logger.warning("the store refused", metadata: ["reason": "it is away"])
        #expect(lines.all.count == 6)
    }

    @Test("Kinds that never come again take no more room than so many")
    func manyKinds() {
        let repeated = RepeatedLines { _ in }
        for kind in 0..<10_000 {
            #expect(repeated.isFirst("\(kind)") { _ in Issue.record("it came once") })
        }
        #expect(!repeated.isFirst("0") { _ in })
        #expect(repeated.isFirst("9999") { _ in })
    }
}
