import OfflineCore
@testable import OfflineMode
import Synchronization
import TestKit
import Testing

@Suite("The attachment uploader")
struct AttachmentUploaderTests {
    /// A disk and a hub in one, each with a script of its next steps.
    private actor World: AttachmentStorage, AttachmentUplink {
        private(set) var log: [String] = []
        private var unfinishedOnes: [OfflineMode.Attachment]
        private var received: [String: Int64] = [:]
        private var troubles: [UploadResponse] = []
        private var isFailing = false

        init(_ attachments: [OfflineMode.Attachment]) {
            unfinishedOnes = attachments
        }

        func responseNext(_ trouble: UploadResponse) { troubles.append(trouble) }
        func failStore(_ isFailing: Bool) { self.isFailing = isFailing }
        func add(_ attachment: OfflineMode.Attachment) { unfinishedOnes.append(attachment) }

        func unfinished() throws(OutboxStorageError) -> [OfflineMode.Attachment] {
            guard !isFailing else { throw .unavailable(detail: "scripted") }
            return unfinishedOnes
        }

        func read(
            _ attachment: OfflineMode.Attachment, from: Int64, count: Int64
        ) throws(AttachmentFault) -> [UInt8] {
            guard attachment.name != "lost" else { throw AttachmentFault("it is gone") }
            return [UInt8](repeating: 1, count: Int(count))
        }

        func finish(_ id: String) {
            unfinishedOnes.removeAll { $0.id == id }
            log.append("finish \(id)")
        }

        func note(problem: String, of id: String) { log.append("note \(id): \(problem)") }

        func announce(_ attachment: OfflineMode.Attachment) -> UploadGrantResponse {
            log.append("announce \(attachment.id)")
            return .granted(url: "/\(attachment.id)", chunkSize: 1 << 20)
        }

        func progress(of attachment: OfflineMode.Attachment, at url: String) -> UploadResponse {
            #expect(url == "/\(attachment.id)")
            return status(of: attachment)
        }

        func send(
            _ bytes: [UInt8], from position: Int64, of attachment: OfflineMode.Attachment, to url: String
        ) -> UploadResponse {
            if !troubles.isEmpty { return troubles.removeFirst() }
            if position == received[attachment.id, default: 0] {
                received[attachment.id] = position + Int64(bytes.count)
            }
            return status(of: attachment)
        }

        private func status(of attachment: OfflineMode.Attachment) -> UploadResponse {
            let there = received[attachment.id, default: 0]
            return there == attachment.size ? .whole : .at(there)
        }
    }

    private func attachment(_ id: String, _ size: Int64 = 600_000, name: String = "slip")
        -> OfflineMode.Attachment
    {
        OfflineMode.Attachment(
            id: id, sha256: "", size: size, contentType: "image/png", name: name, isUrgent: false)
    }

    private func withUploader(
        _ world: World, permission: UploadPermission = .everything,
        _ body: (AttachmentUploader, HandClock, Counter) async -> Void
    ) async {
        let clock = HandClock()
        let finished = Counter()
        let uploader = AttachmentUploader(
            storage: world, uplink: world, time: clock,
            settings: UploadSettings(outbox: OutboxSettings(backoffBase: .milliseconds(1))), seed: 1,
            permission: { isRequested in isRequested ? .everything : permission },
            whenFinished: { finished.add() })
        let running = Task { await uploader.run() }
        await body(uploader, clock, finished)
        running.cancel()
        await running.value
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test("what is on disk is uploaded in order, and each one is reported once it is durable")
    func uploads() async {
        let world = World([attachment("a"), attachment("b")])
        await withUploader(world) { uploader, _, finished in
            #expect(await uploader.syncNow(within: .seconds(60)) == 2)
            #expect(await world.log == ["announce a", "finish a", "announce b", "finish b"])
            #expect(finished.value == 2)
            #expect(await uploader.views.isEmpty)
        }
    }

    @Test("what is added later is uploaded when the uploader is notified and the policy allows it")
    func added() async {
        let world = World([])
        await withUploader(world, permission: .nothing) { uploader, _, finished in
            await world.add(attachment("a"))
            uploader.nudge()
            await eventually { await uploader.views.first?.state == .held }
            #expect(await world.log == [])
            uploader.follow(.everything, isDegraded: false)
            await eventually { finished.value == 1 }
            #expect(await world.log == ["announce a", "finish a"])
        }
    }

    @Test("the hub's trouble ends a person's wait, and passes with time")
    func hubTrouble() async {
        let world = World([attachment("a")])
        await world.responseNext(.hubTrouble(retryAfter: .seconds(5)))
        await withUploader(world) { uploader, clock, finished in
            #expect(await uploader.syncNow(within: .seconds(60)) == 0)
            #expect(await uploader.views.map(\.id) == ["a"])
            uploader.follow(.everything, isDegraded: false)
            await eventually {
                clock.advance(by: .seconds(1))
                return finished.value == 1
            }
        }
    }

    @Test("a file that is gone is shown, and the others pass")
    func lost() async {
        let world = World([attachment("a", name: "lost"), attachment("b")])
        await withUploader(world) { uploader, _, _ in
            #expect(await uploader.syncNow(within: .seconds(60)) == 1)
            #expect(await world.log.contains("note a: it is gone"))
            #expect(await world.log.contains("finish b"))
        }
    }

    @Test("a disk that fails, and the end of the uploader, end a person's wait")
    func endings() async {
        let world = World([attachment("a")])
        await world.failStore(true)
        await withUploader(world) { uploader, _, _ in
            #expect(await uploader.syncNow(within: .seconds(60)) == 0)
        }
        let ended = AttachmentUploader(
            storage: world, uplink: world, time: HandClock(), seed: 1, permission: { _ in .everything },
            whenFinished: {})
        let running = Task { await ended.run() }
        running.cancel()
        await running.value
        #expect(await ended.syncNow(within: .seconds(60)) == 0)
    }
}
