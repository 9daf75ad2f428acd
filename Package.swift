// swift-tools-version:6.2
import PackageDescription

/// Where the outside libraries come from; each is used by the targets named beside it. Exact, so that two builds of one
/// commit are of the same sources; what these need in turn is compared with `config/swift-packages.txt`.
let packages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    // A command of `swift package`; no target compiles anything of it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"),
]

/// What terminal and hub need and the libraries for other programs do not. An embedder turns the trait `Programs` off:
/// these packages are then neither resolved nor compiled, and swift-log is left (docs/concepts/embedding.md).
func library(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Programs"]))
}

let grdb = library("GRDB", of: "GRDB.swift")
let sqlite = library("GRDBSQLite", of: "GRDB.swift")
let arguments = library("ArgumentParser", of: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let configuration = library("Configuration", of: "swift-configuration")
let crypto = library("Crypto", of: "swift-crypto")
let cryptoExtras = library("CryptoExtras", of: "swift-crypto")
let system = library("SystemPackage", of: "swift-system")
let lifecycle = library("ServiceLifecycle", of: "swift-service-lifecycle")
let signals = library("UnixSignals", of: "swift-service-lifecycle")
let hummingbird = library("Hummingbird", of: "hummingbird")
let hummingbirdTLS = library("HummingbirdTLS", of: "hummingbird")
let hummingbirdCore = library("HummingbirdCore", of: "hummingbird")
let nio = library("NIOCore", of: "swift-nio")
let nioPosix = library("NIOPosix", of: "swift-nio")
let nioHTTP1 = library("NIOHTTP1", of: "swift-nio")
let nioSSL = library("NIOSSL", of: "swift-nio-ssl")
let hummingbirdTesting = library("HummingbirdTesting", of: "hummingbird")
let metrics = library("Metrics", of: "swift-metrics")
let mustache = library("Mustache", of: "swift-mustache")
let httpTypes = library("HTTPTypes", of: "swift-http-types")

/// What both ends share: wire documents, money, PINs, SQLite. Pure, but for SQLite.
let shared: [Target] = [
    .target(name: "Base"),
    .target(name: "Pricing", dependencies: ["Base"]),
    .target(name: "HubProtocol", dependencies: ["Base", "Pricing", crypto]),
    .target(name: "Credentials", dependencies: ["Base", crypto, cryptoExtras]),
    .target(name: "DirectSQLite", dependencies: [grdb, sqlite]),
    .target(name: "Logs", dependencies: ["Base", "HubProtocol", logging]),
]

/// The offline module: pure machines, and the driver with its ports.
let offline: [Target] = [
    .target(name: "OfflineCore", dependencies: ["Base"]),
    .target(name: "OfflineMode", dependencies: ["Base", "OfflineCore", "MachineRuntime", logging]),
]

/// What runs machines, and adapters of the offline module's ports to the network and the kernel.
let network: [Target] = [
    .target(name: "CLinux"),
    .target(name: "MachineRuntime", dependencies: ["Base"]),
    .target(name: "LinuxRuntime", dependencies: ["Base", "MachineRuntime", "CLinux"]),
    .target(name: "CTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "PinnedTLS", dependencies: ["Base", "CTLS", "LinuxRuntime", "MachineRuntime"]),
    .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
        name: "LinuxNetwork",
        dependencies: ["Base", "OfflineMode", "OfflineCore", "MachineRuntime", "LinuxRuntime", "CLinux"]),
    .target(
        name: "CurlHTTP", dependencies: ["Base", "OfflineCore", "LinuxRuntime", "CLibcurl"]),
    .target(
        name: "CurlTransport",
        dependencies: ["Base", "OfflineMode", "OfflineCore", "HubProtocol", "MachineRuntime", "CurlHTTP"]),
]

/// The terminal: business rules, their stores, the agent and its commands.
let terminal: [Target] = [
    .target(
        name: "Retail",
        dependencies: [
            "Base", "OfflineMode", "OfflineCore", "MachineRuntime", "HubProtocol", "Pricing", "Credentials",
        ]),
    .target(
        name: "TerminalStore",
        dependencies: [
            "Base", "CLinux",
            "OfflineMode", "OfflineCore", "Retail", "Pricing", "HubProtocol", "Credentials", "DirectSQLite",
            grdb, crypto,
        ]),
    .target(name: "Printing", dependencies: ["Base", "Pricing", "MachineRuntime", "LinuxRuntime"]),
    .target(name: "ZVT", dependencies: ["Base", "HubProtocol"]),
    .target(name: "Neighbours", dependencies: ["Base", "OfflineCore", "HubProtocol"]),
    .target(name: "Nexo", dependencies: ["Base", "HubProtocol", "Pricing", crypto, cryptoExtras]),
    .target(name: "AgentAPI", dependencies: ["Base", "OfflineCore", "HubProtocol", "Pricing"]),
    .target(name: "Counter", dependencies: ["Base", "HubProtocol", "Pricing", "AgentAPI"]),
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .target(name: "CounterTerminal", dependencies: ["Counter", "CNcurses"]),
    .target(
        name: "Agent",
        dependencies: [
            "Base",
            "AgentAPI", "OfflineMode", "OfflineCore", "Retail", "Pricing", "TerminalStore", "CurlTransport",
            "CurlHTTP",
            "LinuxNetwork", "MachineRuntime", "LinuxRuntime", "HubProtocol", "Printing", "Logs",
            "Credentials", "ZVT", "Nexo", "Neighbours", "PinnedTLS",
            configuration, system, crypto, logging,
        ]),
    .target(
        name: "PosCLI",
        dependencies: [
            "Base", "AgentAPI", "Agent", "Counter", "CounterTerminal", "Pricing", "LinuxRuntime",
            "OfflineCore", "HubProtocol", "Logs",
            "CLinux", arguments,
        ]),
    .executableTarget(name: "pos", dependencies: ["PosCLI"]),
]

/// The hub. Nothing of the terminal depends on it.
let hub: [Target] = [
    .target(name: "HubCore", dependencies: ["Base", "HubProtocol", "OfflineCore", "Pricing"]),
    .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "HubStore", dependencies: ["Base", "HubCore", "HubProtocol", "Credentials"]),
    .target(
        name: "HubStoreSQLite",
        dependencies: ["Base", "HubStore", "HubCore", "HubProtocol", "Credentials", "DirectSQLite", grdb]),
    .target(
        name: "HubStorePostgres",
        dependencies: ["Base", "HubStore", "HubCore", "HubProtocol", "Credentials", "CPostgres"]),
    .target(name: "Dashboard", dependencies: ["Base", "HubProtocol", "Pricing", mustache]),
    .target(
        name: "HubServer",
        dependencies: [
            "Base", "Dashboard", "HubCore", "HubStore", "HubStoreSQLite", "HubStorePostgres", "HubProtocol",
            "OfflineCore", "CurlHTTP",
            "MachineRuntime", "LinuxRuntime", "Pricing", "Credentials", "CLinux", crypto, logging, metrics,
            lifecycle,
            signals,
            hummingbird, hummingbirdCore, hummingbirdTLS, nio, nioHTTP1, nioSSL, httpTypes,
        ]),
    .target(
        name: "HubCLI",
        dependencies: [
            "Base", "HubServer", "HubStore", "HubStoreSQLite", "HubStorePostgres", "HubCore", "HubProtocol",
            "Pricing", "Logs",
            arguments, logging,
        ]),
    .executableTarget(name: "pos-hub", dependencies: ["HubCLI"]),
]

/// For programs that embed the terminal's judgement of the network; a library of its own, and its example.
let embedding: [Target] = [
    .target(
        name: "Reachability",
        dependencies: [
            "Base", "OfflineMode", "OfflineCore", "CurlHTTP", "LinuxNetwork", "MachineRuntime",
            "LinuxRuntime",
        ]),
    .executableTarget(name: "reachability-watch", dependencies: ["Reachability"]),
    .target(
        name: "HoldfastOffline",
        dependencies: [
            "Base", "MachineRuntime", "OfflineCore", "OfflineMode",
            .byName(name: "LinuxRuntime", condition: .when(platforms: [.linux])),
        ]),
    .executableTarget(name: "offline-example", dependencies: ["HoldfastOffline"]),
    .executableTarget(
        name: "offline-try",
        dependencies: ["Base", "MachineRuntime", "LinuxRuntime", "OfflineMode", "OfflineCore"]),
]

/// Simulations, detectors of other products, faults and figures: whole programs are measured from outside.
let laboratory: [Target] = [
    .target(name: "Simulation", dependencies: ["Base", "HubCore", "OfflineMode", "OfflineCore"]),
    .target(name: "FaultRelay"),
    .target(name: "Spawning", dependencies: ["CLinux"]),
    .target(name: "CVirtualTime", linkerSettings: [.linkedLibrary("dl")]),
    .executableTarget(
        name: "pos-sim",
        dependencies: [
            "Base", "CVirtualTime", "MachineRuntime", "LinuxRuntime", "OfflineMode", "OfflineCore",
            "HubProtocol",
            "CurlHTTP", "LinuxNetwork", "AgentAPI", "Agent", "HubServer", "HubCore", "HubStore",
            "HubStoreSQLite", "PinnedTLS", arguments, logging, sqlite,
        ]),
    .executableTarget(
        name: "pos-lab",
        dependencies: [
            "Base", "PosCLI", "Agent", "AgentAPI", "Counter", "OfflineMode", "OfflineCore", "HubProtocol",
            "Simulation", "FaultRelay", "Spawning", arguments, grdb, crypto, cryptoExtras, nio, nioPosix,
            nioHTTP1, nioSSL,
        ]),
    .executableTarget(
        name: "pos-bench",
        dependencies: [
            "Base", "OfflineMode", "OfflineCore", "Simulation", "HubProtocol", "Pricing", "CPostgres",
            "Spawning",
            sqlite,
            arguments, crypto,
        ]),
]

/// Parsers of foreign bytes: a test on corrupted documents, and under `make fuzz` libFuzzer's program.
let parsed: [Target.Dependency] = [
    "Base", "HubCore", "HubProtocol", "OfflineMode", "OfflineCore", "Pricing", "Retail", "CurlTransport",
    "CurlHTTP",
    "LinuxNetwork",
    "Agent",
    "TerminalStore", "ZVT", "Nexo",
]
let fuzzing: Target =
    Context.environment["HOLDFAST_FUZZ"] == nil
    ? .testTarget(name: "FuzzTests", dependencies: parsed, exclude: ["Fuzzer.swift", "Corpus"])
    : .executableTarget(
        name: "fuzz", dependencies: parsed, path: "Tests/FuzzTests", exclude: ["ParserTests.swift", "Corpus"])

/// `HubServerTests` alone imports the hub's web server, since a status code needs no process. All tests are
/// one program, so that its link has the server in it (figures: docs/internals/testing.md).
let tests: [Target] = [
    .target(
        name: "TestKit",
        dependencies: ["Base", "MachineRuntime", "CLinux", "Spawning", "HubProtocol", crypto],
        path: "Tests/TestKit"),
    .testTarget(name: "BaseTests", dependencies: ["Base"]),
    .testTarget(name: "OfflineCoreTests", dependencies: ["Base", "OfflineCore"]),
    .testTarget(name: "HubProtocolTests", dependencies: ["Base", "HubProtocol", "Pricing", crypto]),
    .testTarget(name: "SimulationTests", dependencies: ["Base", "Simulation", "OfflineMode", "OfflineCore"]),
    .testTarget(name: "PricingTests", dependencies: ["Base", "Pricing"]),
    .testTarget(name: "LogsTests", dependencies: ["Logs", "HubProtocol", logging]),
    .testTarget(
        name: "HubCoreTests",
        dependencies: ["Base", "HubCore", "HubProtocol", "OfflineCore", "Pricing", "TestKit", crypto]),
    .testTarget(
        name: "HubStoreTests",
        dependencies: [
            "Base", "HubStore", "HubStoreSQLite", "HubStorePostgres", "HubCore", "HubProtocol", "Pricing",
            "Credentials", "DirectSQLite", "TestKit", grdb, sqlite, crypto,
        ]),
    .testTarget(name: "DashboardTests", dependencies: ["Base", "Dashboard", "HubProtocol"]),
    .testTarget(
        name: "HubCLITests",
        dependencies: [
            "CurlHTTP", "CurlTransport", "HubCLI", "HubCore", "HubProtocol", "HubServer", "HubStore",
            "HubStorePostgres", "HubStoreSQLite", "Pricing", "TestKit", arguments, crypto, logging,
        ]),
    .testTarget(
        name: "HubServerTests",
        dependencies: [
            "Base", "Dashboard", "HubServer", "HubCore", "HubStore", "HubProtocol", "OfflineCore", "Pricing",
            "Credentials", "CurlHTTP", "Retail", "TestKit", crypto, logging,
            hummingbird, hummingbirdTesting, httpTypes, nio,
        ]),
    .testTarget(
        name: "OfflineModeTests",
        dependencies: ["Base", "OfflineMode", "OfflineCore", "TestKit", logging]),
    .testTarget(
        name: "RetailTests",
        dependencies: [
            "Base", "Retail", "HubProtocol", "Pricing", "OfflineMode", "OfflineCore", "MachineRuntime",
            "TestKit",
        ]),
    .testTarget(
        name: "TerminalStoreTests",
        dependencies: [
            "Base",
            "TerminalStore", "Retail", "Pricing", "OfflineMode", "OfflineCore", "HubProtocol", "Credentials",
            "TestKit", grdb, sqlite, crypto,
        ]),
    .testTarget(
        name: "MachineRuntimeTests", dependencies: ["Base", "MachineRuntime", "LinuxRuntime", "TestKit"]),
    .testTarget(
        name: "CurlTransportTests",
        dependencies: [
            "Base", "CurlTransport", "CurlHTTP", "CLibcurl", "OfflineMode", "OfflineCore", "MachineRuntime",
            "LinuxRuntime",
            "HubProtocol",
            "FaultRelay",
            "TestKit",
        ]),
    .testTarget(
        name: "LinuxNetworkTests",
        dependencies: [
            "Base", "LinuxNetwork", "OfflineMode", "OfflineCore", "MachineRuntime", "LinuxRuntime", "TestKit",
        ]),
    .testTarget(
        name: "ReachabilityTests",
        dependencies: [
            "Base", "Reachability", "LinuxNetwork", "OfflineMode", "OfflineCore", "MachineRuntime",
            "LinuxRuntime", "TestKit",
        ]),
    .testTarget(name: "CredentialsTests", dependencies: ["Credentials"]),
    .testTarget(name: "SpawningTests", dependencies: ["Spawning"]),
    .testTarget(name: "FaultRelayTests", dependencies: ["FaultRelay", "TestKit"]),
    .testTarget(
        name: "PrintingTests",
        dependencies: ["Base", "MachineRuntime", "LinuxRuntime", "Printing", "TestKit"]),
    .testTarget(name: "ZVTTests", dependencies: ["Base", "ZVT"]),
    .testTarget(
        name: "NeighboursTests", dependencies: ["Base", "HubProtocol", "Neighbours", crypto]),
    .testTarget(
        name: "PinnedTLSTests",
        dependencies: ["Base", "LinuxRuntime", "MachineRuntime", "PinnedTLS", "TestKit", crypto]),
    .testTarget(name: "NexoTests", dependencies: ["HubProtocol", "Nexo"]),
    .testTarget(name: "AgentAPITests", dependencies: ["Base", "OfflineCore", "AgentAPI", "HubProtocol"]),
    .testTarget(
        name: "PosCLITests",
        dependencies: [
            "Base", "PosCLI", "Agent", "AgentAPI", "Counter", "HubProtocol", "Logs", "LinuxRuntime",
            "OfflineCore", "OfflineMode", "Pricing", "Retail", "TerminalStore", "TestKit",
        ]),
    .testTarget(
        name: "CounterTests",
        dependencies: ["Base", "HubProtocol", "OfflineCore", "Counter", "Agent", "AgentAPI", "Pricing"]),
    .testTarget(
        name: "AgentTests",
        dependencies: [
            "Agent", "AgentAPI", "TerminalStore", "OfflineMode", "OfflineCore", "MachineRuntime",
            "LinuxRuntime", "Base", "Credentials",
            "HubProtocol", "HubCore", "Pricing", "Retail", "Logs", "Counter", "Nexo", "ZVT",
            "TestKit", "CurlTransport", "CurlHTTP", "PinnedTLS", "Neighbours", crypto, logging,
        ]),
    .testTarget(
        name: "ProgramTests",
        dependencies: [
            "Base", "HubProtocol", "Pricing", "OfflineCore", "FaultRelay", "TestKit", "Credentials",
            "PinnedTLS", "Neighbours", crypto, grdb,
        ]),
    .testTarget(
        name: "RecoveryTests",
        dependencies: [
            "Base", "TerminalStore", "Retail", "Pricing", "OfflineMode", "OfflineCore", "HubProtocol",
            "HubCore",
            "HubStore", "HubStoreSQLite", "HubStorePostgres", "HubServer", "TestKit", grdb, crypto,
        ]),
    .testTarget(name: "TidyTests"),
    fuzzing,
]

/// `HOLDFAST_TESTS=RetailTests,AgentTests` leaves out all other targets of tests: one program less to compile and to
/// link after each edit. Without it the package has all of them.
let chosenTests = Context.environment["HOLDFAST_TESTS"].map { Set($0.split(separator: ",").map(String.init)) }

/// The folders of `Sources` are the floors of the architecture, each with its targets.
let floors = [
    "Shared": shared, "Offline": offline, "Network": network, "Terminal": terminal, "Hub": hub,
    "Embedding": embedding, "Laboratory": laboratory,
]
for (floor, targets) in floors {
    for target in targets { target.path = "Sources/\(floor)/\(target.name)" }
}

let targets =
    shared + offline + network + terminal + hub + embedding + laboratory
    + tests.filter { $0.type != .test || chosenTests?.contains($0.name) ?? true }
for target in targets
where target.type != .system && !["CLinux", "CTLS", "CPostgres", "CVirtualTime"].contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
}

/// Bugs that `pos-sim plant` finds are in debug builds, and in release builds only where `HOLDFAST_PLANTS` is set: builds
/// for shops have none (docs/internals/simulation.md).
for target in targets where target.name == "Base" {
    let planted: SwiftSetting =
        Context.environment["HOLDFAST_PLANTS"] == nil
        ? .define("PLANTED_BUGS", .when(configuration: .debug)) : .define("PLANTED_BUGS")
    target.swiftSettings = (target.swiftSettings ?? []) + [planted]
}

let products: [Product] = [
    .executable(name: "pos", targets: ["pos"]),
    .executable(name: "pos-hub", targets: ["pos-hub"]),
    .executable(name: "pos-lab", targets: ["pos-lab"]),
    .executable(name: "pos-bench", targets: ["pos-bench"]),
    .executable(name: "pos-sim", targets: ["pos-sim"]),
    .executable(name: "reachability-watch", targets: ["reachability-watch"]),
    .executable(name: "offline-example", targets: ["offline-example"]),
    .executable(name: "offline-try", targets: ["offline-try"]),
    .library(name: "Reachability", targets: ["Reachability"]),
    .library(name: "HoldfastOffline", targets: ["HoldfastOffline"]),
]

let package = Package(
    name: "Holdfast",
    products: products,
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(name: "Programs", description: "terminal and hub, beside the libraries for other programs"),
    ],
    dependencies: packages,
    targets: targets,
    swiftLanguageModes: [.v6]
)
