import Foundation
import Testing

/// What the pages must describe, compared with the code.
@Suite("Documentation")
struct DocumentTests {
    private let documents: DocumentPages

    init() throws {
        documents = try DocumentPages()
    }

    private func page(_ path: String) throws -> DocumentPages.Page {
        try #require(documents.pages[path], "\(path)")
    }

    /// The codes that are in the first column of a table's row.
    private func rows(of path: String) throws -> Set<String> {
        let cells = DocumentPages.matches(of: #"^\| ([^|]*(?:\\\|[^|]*)*) \|"#, in: try page(path).text)
        return Set(cells.flatMap { DocumentPages.matches(of: #"`([^`]+)`"#, in: $0) })
    }

    private func sources(_ prefixes: String...) -> String {
        SourceTree.swiftFiles(in: "Sources")
            .filter { file in prefixes.contains { file.pathInFloor.hasPrefix($0) } }
            .flatMap(\.lines).joined(separator: "\n")
    }

    @Test("Every relative link and anchor of README and docs leads somewhere")
    func links() {
        #expect(documents.pages.count > 40)
        #expect(documents.brokenLinks == [])
    }

    @Test("The index of decisions has one row for each page, in order, with its number, title and status")
    func decisions() throws {
        let index = try page("docs/decisions/README.md").text
        let rows = index.matches(of: #/\| \[(\d+)\]\(([^)]+)\) \| ([^|]+) \| ([^|]+) \|/#)
        let listed = rows.map { "docs/decisions/\($0.2): # \($0.1). \($0.3)" }
        let pages = documents.pages.values.filter { $0.path.hasPrefix("docs/decisions/0") }
        #expect(pages.count >= 28)
        let headings = pages.sorted { $0.path < $1.path }.map { page in
            "\(page.path): \(page.text.prefix { $0 != "\n" })"
        }
        #expect(listed == headings)
        #expect(rows.filter { !$0.4.hasPrefix("in force") && !$0.4.hasPrefix("replaced by [") }.isEmpty)
    }

    @Test("Every page is linked from another one")
    func reachablePages() throws {
        let linked = Set(
            documents.pages.values.flatMap { page in
                page.targets.map { target in
                    DocumentPages.path(String(target.prefix { $0 != "#" }), from: page.path)
                }
            })
        let lonely = documents.pages.keys.filter { path in
            path != "README.md" && !linked.contains(path)
        }
        #expect(lonely.sorted() == [])
    }

    @Test("The table of targets is Package.swift's")
    func architecture() throws {
        let package = try DocumentPages.text(of: "Package.swift")
        let pattern = #/\.(?:target|executableTarget|systemLibrary)\(\s*name: "([^"]+)"([^)]*)/#
        var declared: [String: Set<String>] = [:]
        for match in package.matches(of: pattern) where !["TestKit", "fuzz"].contains(String(match.1)) {
            let list = String(match.2).firstMatch(of: #/dependencies: \[([^\]]*)/#).map { String($0.1) } ?? ""
            declared[String(match.1)] = Set(DocumentPages.matches(of: #""([^"]+)""#, in: list))
        }
        var written: [String: Set<String>] = [:]
        for line in try page("docs/architecture.md").text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let names = cells[2] == "–" ? [] : cells[2].components(separatedBy: ", ")
            written[cells[0].trimmingCharacters(in: ["`"])] = Set(names)
        }
        #expect(declared.count > 25)
        #expect(written == declared)
    }

    @Test("Every problem code, refusal and error code has its row with what to do")
    func codes() throws {
        let rows = try rows(of: "docs/reference/errors.md")
        var codes = DocumentPages.matches(
            of: #"ProblemCode\(rawValue: "([a-z_]+)"\)"#, in: sources("HubProtocol", "Hub"))
        codes += DocumentPages.matches(
            of: #"code: "([a-z_]+)""#, in: sources("Agent", "PosCLI", "pos-lab", "Retail", "Hub"))
        for block in sources("Retail").components(separatedBy: "var code: String {").dropFirst() {
            let body = block.components(separatedBy: "\n    }").first ?? ""
            codes += DocumentPages.matches(of: #"case \.[^:]*: "([a-z_]+)""#, in: body)
        }
        #expect(Set(codes).count > 120)
        #expect(Set(codes).subtracting(rows).sorted() == [])
    }

    @Test("Every intake flag and every kind of alarm has its row")
    func flags() throws {
        let rows = try rows(of: "docs/reference/errors.md")
        var words = DocumentPages.matches(
            of: #"case \w+ = "([a-z_]+)""#,
            in: sources("HubCore/Intake/IntakeFlag", "HubCore/Journal/JournalWitness"))
        words += DocumentPages.matches(of: #"kind: "([a-z]+_[a-z_]+)""#, in: sources("HubServer", "HubStore"))
        let refusals = sources("HubCore/Intake/IntakeTransaction")
        words += DocumentPages.matches(of: #"case \.\w+: "([a-z]+_[a-z_]+)""#, in: refusals)
        let findings = sources("HubProtocol/Messages/TelemetryReport")
        words += DocumentPages.matches(of: #"case \w+ = "([a-z]+_[a-z_]+)""#, in: findings).map {
            "terminal_" + $0
        }
        words.removeAll { $0 == "terminal_" }
        words += DocumentPages.matches(
            of: #"case \w+ = "([a-z_]+)""#, in: sources("HubProtocol/Messages/AlarmKind"))
        #expect(Set(words).count > 60)
        #expect(Set(words).subtracting(rows).sorted() == [])
    }

    @Test("The reference has the weight of each check of the doctor")
    func weights() throws {
        let text = try page("docs/reference/cli-till.md").text
        let doctor = sources("Agent/Features/Readiness/Doctor")
        for weight in [5, 3] {
            let row = text.split(separator: "\n").first { $0.hasPrefix("| \(weight): ") }
            let page = DocumentPages.matches(of: #"`([^`:]+)`"#, in: String(row ?? ""))
            let code = DocumentPages.matches(of: #""([^"]+)": \#(weight),"#, in: doctor)
            #expect(code.count > 10 && Set(page) == Set(code))
        }
    }

    @Test("The reference has every key that a store sets")
    func storeSettings() throws {
        let page = try page("docs/reference/configuration.md").text
        let parts = page.components(separatedBy: "## What a store sets from the hub")
        let list = parts.last?.components(separatedBy: "\n## ").first ?? ""
        let keys = DocumentPages.matches(
            of: #"StoreSetting\(\s*"([A-Za-z.]+)""#, in: sources("HubProtocol/Store/StoreSetting"))
        #expect(keys.count > 20)
        for key in keys {
            let name = key.split(separator: ".").last ?? ""
            let family = key.split(separator: ".").dropLast().joined(separator: ".") + ".*"
            #expect(
                list.contains("`\(key)`") || list.contains("`\(name)`") || list.contains("`\(family)`"),
                "\(key)")
        }
    }

    @Test("The page on the simulator has every planted bug")
    func plantedBugs() throws {
        let page = try page("docs/internals/simulation.md").text
        let bugs = DocumentPages.matches(of: #"    case (\w+)"#, in: sources("Base/PlantedBug"))
        #expect(bugs.count > 25)
        #expect(bugs.filter { !page.contains("`\($0)`") } == [])
    }

    @Test("Every route of the hub and of the agent is in the reference")
    func routes() throws {
        let page = try page("docs/reference/http.md").text
        let parts = page.components(separatedBy: "\n## The agent's local socket")
        #expect(parts.count == 2)
        // A parameter's name is the page's own: `{id}` there may be `<id>` here.
        func missing(_ routes: [String], in text: String) -> [String] {
            Set(routes).filter { !text.contains($0) }.sorted()
        }
        let hub = DocumentPages.matches(
            of: #"^  (/[^:]*):$"#, in: try DocumentPages.text(of: "docs/openapi.yaml"))
        #expect(hub.count > 25)
        let short = ["/v1/payments/authorizations/{key}/capture", "/v1/payments/authorizations/{key}/void"]
        #expect(missing(hub, in: parts[0] + short[1]) == [])
        let agent = DocumentPages.matches(
            of: #"static let \w+ = "(/v1/[^"]*)""#, in: sources("AgentAPI/Messages/AgentRoutes"))
        #expect(agent.count > 15)
        #expect(missing(agent, in: parts[1]) == [])
    }

    /// `…` stands for anything in between, `N` for a number; a mode before it and a command are not compared.
    @Test("Every message that the runbook quotes is one that a program prints")
    func quotedMessages() throws {
        let printed = sources(
            "Agent", "PosCLI", "pos-lab", "Retail", "TerminalStore", "Hub", "Offline", "CurlTransport"
        )
        .replacing(#/"\s*\n\s*\+ "/#, with: "")
        let firstCells = DocumentPages.matches(
            of: #"^\| (.*?) \|"#, in: try page("docs/operating/runbook.md").text)
        let quotes = firstCells.flatMap { DocumentPages.matches(of: #"`([^`]+)`"#, in: $0) }
            .filter { !$0.hasPrefix("pos ") && !$0.hasPrefix("pos-hub ") }
        let phrases = quotes.flatMap { $0.split(separator: #/…|\bN\b/#) }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.contains(" ") && !$0.contains(#/^(?:OFFLINE|ONLINE|CONNECTING)/#) }
        #expect(phrases.count > 20)
        #expect(phrases.filter { !printed.contains($0) } == [])
    }

    @Test("Every metric of the hub stands in the reference")
    func metrics() throws {
        let names = DocumentPages.matches(of: #""(holdfast_\w+)""#, in: sources("HubServer"))
            .filter { $0 != "holdfast_session" }
        #expect(names.count >= 14)
        let page = try page("docs/reference/http.md").text
        #expect(names.filter { !page.contains("| `\($0)") } == [])
    }

    @Test("Every file and every suite that the pages for engineers name exists")
    func namedFiles() throws {
        let pages = [
            "docs/internals/contributing.md", "docs/internals/testing.md", "docs/architecture.md",
            "docs/concepts/idea.md",
        ]
        let text = try pages.map { try page($0).text }.joined(separator: "\n")
        let paths = Set(
            DocumentPages.matches(of: #"`((?:Sources|Tests|config|docs|\.ci)/[^`<… ]*)`"#, in: text))
        #expect(paths.count > 30)
        let root = SourceTree.root
        let missing = paths.filter { path in
            let files = ["", ".swift"].map { root.appendingPathComponent(path + $0).path }
            return !files.contains { FileManager.default.fileExists(atPath: $0) }
        }
        // A suite may be named with its folder: `LinuxNetworkTests/PathEdgeTests`.
        let suites = Set(DocumentPages.matches(of: #"`(?:\w+/)?(\w+Tests)`"#, in: text))
        let tests = SourceTree.swiftFiles(in: "Tests").flatMap(\.lines).joined(separator: "\n")
        let unknown = suites.filter { suite in
            !tests.contains("struct \(suite)") && !tests.contains("class \(suite)")
                && !FileManager.default.fileExists(atPath: root.appendingPathComponent("Tests/" + suite).path)
        }
        #expect(suites.count > 50)
        // Names with a number in their place.
        let examples: Set = ["docs/decisions/NNNN-title.md", "Tests/Recordings/schema-N"]
        #expect(missing.subtracting(examples).sorted() == [])
        #expect(unknown.sorted() == [])
    }

    @Test("Every target of the Makefile has a line in make help")
    func makefile() throws {
        let makefile = try DocumentPages.text(of: "Makefile")
        let lines = makefile.components(separatedBy: "\n")
        let declared = try #require(lines.first { $0.hasPrefix(".PHONY: ") }).split(separator: " ")
            .dropFirst()
        #expect(declared.count > 12)
        let undescribed = declared.filter { target in
            guard let rule = lines.firstIndex(where: { $0.hasPrefix(target + ":") }) else { return true }
            return rule == 0 || !lines[rule - 1].hasPrefix("# ")
        }
        #expect(undescribed == [])
    }

    @Test("Every key of the hub's configuration has its row")
    func hubKeys() throws {
        let data = Data(try DocumentPages.text(of: "config/hub.json").utf8)
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var keys: [String] = []
        for (name, value) in file {
            guard let group = value as? [String: Any], !group.isEmpty else { keys.append(name); continue }
            keys += group.keys.map { name + "." + $0 }
        }
        #expect(keys.count > 20)
        let text = try page("docs/reference/configuration.md").text
        let section = try #require(text.components(separatedBy: "\n## The hub\n").last)
        #expect(keys.filter { !section.contains("`\($0)`") }.sorted() == [])
    }
}
