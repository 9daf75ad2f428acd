import Testing

/// Rules of the code that a program can check.
@Suite("House rules")
struct HouseRulesTests {
    private let sources = SourceTree.swiftFiles(in: "Sources")
    private let tests = SourceTree.swiftFiles(in: "Tests")

    private func files(of targets: String...) -> [SourceTree.File] {
        sources.filter { targets.contains($0.target) }
    }

    @Test("The walk finds the sources")
    func walkFindsSources() {
        #expect(sources.count > 40)
        #expect(tests.count > 3)
    }

    @Test("The pure cores have no clock, no task, no randomness from outside and no system import")
    func pureCores() throws {
        let pure = files(
            of: "OfflineCore", "HubCore", "Pricing", "HubProtocol", "AgentAPI", "Counter", "Simulation",
            "Neighbours")
        let pattern =
            #"import (Foundation|Dispatch|Glibc|GRDB)|Task \{|Task\.(sleep|detached)|Date\(\)"#
            + #"|ContinuousClock|SuspendingClock|\.random\(|SystemRandomNumberGenerator"#
        #expect(try SourceTree.hits(of: pattern, in: pure) == [])
    }

    @Test("Machines write every pair out: no default branch among them")
    func noDefaultInMachines() throws {
        let machines = files(of: "OfflineCore").filter {
            !$0.path.contains("/Ids/") && !$0.path.contains("/Recording/")
        }
        #expect(try SourceTree.hits(of: #"^\s*default:"#, in: machines) == [])
        // Strings and bytes have no last case, so that rules about them may end with `case _`.
        let hub = files(of: "HubCore")
        #expect(try SourceTree.hits(of: #"^\s*default:"#, in: hub) == [])
        let hubMachines = hub.filter { $0.path.contains(/\/(QoS|Release|Limits|Journal)\//) }
        #expect(hubMachines.count > 15)
        #expect(try SourceTree.hits(of: #"case _\b"#, in: hubMachines) == [])
    }

    @Test("Nothing traps on input and nothing is left unfinished")
    func noTraps() throws {
        let words = ["TO" + "DO", "FIX" + "ME"].joined(separator: "|")
        let pattern = #"try!|fatalError\(|\bas! |"# + words
        #expect(try SourceTree.hits(of: pattern, in: sources) == [])
    }

    @Test("A lock holds a function in a type of its own alone")
    func functionsInLocks() throws {
        // Each access to one that it holds by itself, or in a tuple, wraps it once more: after some ten
        // thousand accesses a call of it has no stack left.
        #expect(try SourceTree.hits(of: #"Mutex<[^\[]*->"#, in: sources) == [])
    }

    @Test("What opens something is kept as a secret, which no text shows")
    func secrets() throws {
        let names = "token|pin|password|passwordHash|pinHash|secret|privateKeys?|enrolmentCode"
        let types = #"String|\[UInt8\]|Data"#
        let keys = #"SymmetricKey|Curve25519\.\w+\.PrivateKey"#
        let pattern =
            #"^ {4,8}((public|private|package|private\(set\)) )*(let|var) "#
            + #"((\#(names)): (\#(types))\??$|\w+(: | = )(\#(keys))\b)"#
        let hits = try SourceTree.hits(of: pattern, in: sources)
        let reasons = [
            "PosCLI/Entry/CommandOptions.swift": "an option of the command line, overwritten when it is read",
            "Credentials/PINHash.swift": "a salt",
            "TerminalStore/Journal/SQLiteJournalExport.swift": "a local of one function",
            "HubServer/People/CheckCost.swift": "a class, whose text is its name",
        ]
        #expect(hits.filter { hit in !reasons.keys.contains { hit.contains($0) } } == [])
    }

    @Test("Members of a fact are named in its type alone: nothing else reads a payload by a key")
    func factsByType() throws {
        let outside = sources.filter { !$0.path.contains("HubProtocol/Facts/") }
        #expect(outside.count < sources.count)
        let pattern =
            #"payload\??\[("|\$0)|payload\.(required|optional|strings)|"payload"\]\??\[""#
        let hits = try SourceTree.hits(of: pattern, in: outside)
        let reasons = [
            "Retail/Notes/NoteChange.swift": "fields of a note are free; it writes what stands beside them",
            "Retail/Refusals/": "a person's edit of a payload, compared with it member by member",
            "HubCore/Intake/RecordLimits.swift": "the fields of a note or a profile are free",
            "HubProtocol/Shifts/ShiftOpening.swift": "whether it has the form of the contract at all",
        ]
        #expect(hits.filter { hit in !reasons.keys.contains { hit.contains($0) } } == [])
        for place in reasons.keys {
            #expect(hits.contains { $0.contains(place) }, "\(place) needs no reason")
        }
    }

    @Test("No source is over 700 lines, no test over 700, no comment over 110 characters")
    func sizes() {
        // The format's lint sees to the code; it leaves comments alone.
        let long =
            sources.filter { $0.lines.count > 701 } + tests.filter { $0.lines.count > 701 }
        #expect(long.map { "\($0.path): \($0.lines.count)" } == [])
        let wide = (sources + tests).flatMap { file in
            file.lines.enumerated()
                .filter { $0.element.count > 110 && $0.element.contains(/^ *\/\//) }
                .map { "\(file.path):\($0.offset + 1)" }
        }
        #expect(wide == [])
    }

    @Test("A function has at most 70 lines")
    func functionSizes() {
        let long = sources.flatMap { file in
            file.functions.filter { $0.count > 70 }.map { "\(file.path):\($0.lowerBound + 1): \($0.count)" }
        }
        #expect(long == [])
    }

    @Test("A file has at least 25 lines, or a reason")
    func smallFiles() {
        let reasons = [
            "Shared/Base/Machine.swift": "the contract of every machine",
            "Offline/OfflineMode/Outbox/SaleWaits.swift": "what the checkout and the drainer share",
            "Network/CurlTransport/Probe/CertificateTime.swift": "the two forms of one foreign text",
            "Terminal/Agent/Features/Orders/HubReceiptFinding.swift": "one adapter of one port",
            "Terminal/Agent/Features/Sales/ReceiptSigner.swift": "what three features share",
            "Terminal/PosCLI/Entry/BasketOptions.swift": "what three commands share",
        ]
        let small = sources.filter { file in
            // The empty last element stands for the line break at the end. A part with few texts has short
            // files of them, one for each language.
            file.lines.count - 1 < 25 && !file.path.hasSuffix("/main.swift")
                && !file.path.contains("/Texts/")
                && reasons[String(file.path.dropFirst("Sources/".count))] == nil
        }
        #expect(small.map(\.path) == [])
    }

    @Test("A file of Chinese texts has Chinese words in each of its texts")
    func chineseTexts() {
        let files = sources.filter { $0.path.contains(/\/Texts\/Chinese\w+Texts\.swift$/) }
        #expect(files.count > 8)
        let untranslated = files.flatMap { file in
            let members = file.lines.joined(separator: "\n").split(
                separator: #/\n    (?:private )?(?:func|var) /#)
            return members.dropFirst().compactMap { member in
                // Another text is named, or nothing but a sign is said.
                let words = member.replacing(/\\\([^)]*\)/, with: "")
                let isWords = words.contains(/"[^"]*[a-z]{3}[^"]*"/) && !member.contains(/\p{Han}/)
                return isWords ? "\(file.path): \(member.prefix { $0 != "(" && $0 != ":" })" : nil
            }
        }
        #expect(untranslated == [])
    }

    @Test("A language is in its files of texts: no pair of texts and no Chinese character elsewhere")
    func texts() throws {
        #expect(try SourceTree.hits(of: #"isChinese\b"#, in: sources) == [])
        let elsewhere = sources.filter {
            !$0.path.contains(/\/Texts\/Chinese\w+Texts(?:\+\w+)?\.swift$/)
        }
        #expect(elsewhere.count < sources.count)
        #expect(try SourceTree.hits(of: #"\p{Han}"#, in: elsewhere) == [])
    }

    /// What a build on another platform has to replace: docs/concepts/embedding.md names the ports.
    @Test("The offline module imports its own targets, and of others what the list of its page has")
    func platform() throws {
        let own = ["Base", "OfflineCore", "OfflineMode", "MachineRuntime", "HoldfastOffline"]
        let module = sources.filter { own.contains($0.target) }
        #expect(module.count > 80)
        var files: [String: Set<String>] = [:]
        for file in module {
            let name = file.path.split(separator: "/").last.map(String.init) ?? ""
            for line in file.lines {
                guard let match = line.firstMatch(of: #/^\s*(?:@\w+ )?(?:\w+ )?import (\w+)/#) else {
                    continue
                }
                files[String(match.1), default: []].insert(name)
            }
        }
        let others = files.filter { !own.contains($0.key) }
        #expect(Set(others.keys) == ["Synchronization", "Logging", "Foundation", "LinuxRuntime"])
        #expect(others["Foundation"] == ["ModeChanges.swift", "RecordingLine.swift"])
        #expect(others["LinuxRuntime"] == ["HoldfastOffline.swift"])
    }

    @Test("No folder below a target holds one Swift file alone")
    func lonelyFiles() {
        let entries = Dictionary(grouping: sources) {
            $0.path.split(separator: "/").dropLast().joined(separator: "/")
        }
        let lonely = entries.filter { folder, files in
            // `Sources/Floor/Target` has three parts: a target of one file is a program's entry.
            folder.split(separator: "/").count > 3 && files.count == 1
                && !entries.keys.contains { $0.hasPrefix(folder + "/") }
        }
        #expect(lonely.keys.sorted() == [])
    }

    @Test("Names describe a thing: no Manager, Helper, Utils or Common")
    func names() throws {
        let pattern = #"(class|struct|enum|protocol|actor) \w*(Manager|Helper|Utils?|Common)\b"#
        #expect(try SourceTree.hits(of: pattern, in: sources + tests) == [])
    }
}
