internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Synchronization

/// `PUT /v1/imports/{kind}`: master data as the files of `pos-hub import`, a whole file or nothing of it.
final class ImportRoutes: Sendable {
    private let service: LedgerService
    private let log: OperatorLog
    private let places = Mutex(Places())

    /// Who sends a file, and whether one is being imported. A person who sends slowly keeps out nobody else.
    private struct Places {
        var senders: Set<String> = []
        var isImporting = false

        /// Takes the one place of an import; false while another one has it.
        mutating func begin() -> Bool {
            defer { isImporting = true }
            return !isImporting
        }
    }

    /// Files that arrive at a time, each of another person. Halved, two slow senders keep a third out;
    /// doubled, files of the largest size take 256 MiB.
    private static let mostSenders = 4

    /// A catalogue of 100,000 articles is 10 MB; with ten times as much one file would take the memory that a
    /// hub is given.
    private static let limits = BodyLimits(maximumBytes: 32 << 20, deadline: .seconds(60))

    init(service: LedgerService, log: OperatorLog) {
        self.service = service
        self.log = log
    }

    var routes: [Route] {
        [Route(.put, Routes.importedList, .operator(.importMasterData), parameters: [], response: take)]
    }

    @Sendable private func take(_ request: HubRequest) async throws -> HubResponse {
        let person = try request.requireOperator()
        let name = request.parameters["kind"] ?? ""
        guard let kind = ImportedList.Kind(rawValue: name) else {
            let kinds = ImportedList.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.notFound("No kind of import is called \(name); there are \(kinds).")
        }
        // Compressed bytes would be read as lines.
        guard request.header("Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true else {
            throw Problem.encodedBody
        }
        let isFree = places.withLock { places in
            !places.isImporting && places.senders.count < Self.mostSenders
                && places.senders.insert(person.name).inserted
        }
        guard isFree else { throw Problem.importRunning }
        defer { places.withLock { _ = $0.senders.remove(person.name) } }
        let bytes = try await request.body(Self.limits)
        guard places.withLock({ $0.begin() }) else { throw Problem.importRunning }
        defer { places.withLock { $0.isImporting = false } }
        let response = try await imported(bytes, of: kind)
        let count = response["imported"]?.integer ?? 0
        await log.record(.importFile, by: person, subject: kind.rawValue, detail: "\(count) records")
        return .json(response).with("Cache-Control", "no-store")
    }

    private func imported(_ bytes: [UInt8], of kind: ImportedList.Kind) async throws -> JSONValue {
        let file: ImportedFile
        do throws(ImportMistakes) {
            file = try ImportedFile(bytes, of: kind)
        } catch {
            throw Problem.importRefused(error.mistakes.map { ($0.line, $0.description) })
        }
        do {
            return try await service.importList(file.list, withdrawing: file.withdrawn)
        } catch let problem as Problem {
            // The store names a record by its place, a person by its line.
            guard let objections = problem.extensions["objections"]?.array else { throw problem }
            throw Problem.importRefused(
                objections.map { objection in
                    let place = objection["place"]?.integer.flatMap { Int(exactly: $0) }
                    let line = place.flatMap { file.lines.indices.contains($0) ? file.lines[$0] : nil }
                    return (line, objection["detail"]?.string ?? "")
                })
        }
    }
}

extension Problem {
    fileprivate static let importRunning = Problem(
        status: 409, code: ProblemCode(rawValue: "import_running"), title: "Another import is running",
        detail: "One file is imported at a time; send it again when the other is done.")

    fileprivate static let encodedBody = Problem(
        status: 415, code: ProblemCode(rawValue: "body_encoded"), title: "The body is compressed",
        detail: "Send the file as it is, without Content-Encoding.")

    /// - Parameter mistakes: at least one, with its line where it has one.
    fileprivate static func importRefused(_ mistakes: [(line: Int?, detail: String)]) -> Problem {
        Problem(
            status: 422, code: ProblemCode(rawValue: "import_refused"), title: "Nothing was imported",
            detail: mistakes.first?.detail ?? "",
            extensions: [
                "objections": .array(
                    mistakes.map {
                        [
                            "detail": .string($0.detail),
                            "line": JSONValue($0.line.map(Int64.init)),
                        ]
                    })
            ])
    }
}
