// swift-tools-version:6.2
import PackageDescription

/// Where the outside libraries come from; each is used by the targets named beside it. Exact, so that two builds of one
/// commit are of the same sources; what these need in turn is compared with `config/swift-packages.txt`.
let swiftLog = Package.Dependency.package(url: "https://github.com/apple/swift-log", exact: "1.16.2")
let packages: [Package.Dependency] = [
    swiftLog,
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

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

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
    .target(name: "MachineRuntime", dependencies: ["Base", "CLinux"]),
    .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
        name: "LinuxNetwork",
        dependencies: ["Base", "OfflineMode", "OfflineCore", "MachineRuntime", "CLinux"]),
    .target(
        name: "CurlTransport",
        dependencies: ["Base", "OfflineMode", "OfflineCore", "HubProtocol", "MachineRuntime", "CLibcurl"]),
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
    .target(name: "Printing", dependencies: ["Base", "Pricing", "MachineRuntime"]),
    .target(name: "ZVT", dependencies: ["Base", "HubProtocol"]),
    .target(name: "AgentAPI", dependencies: ["Base", "OfflineCore", "HubProtocol", "Pricing"]),
    .target(name: "Counter", dependencies: ["Base", "HubProtocol", "Pricing", "AgentAPI"]),
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .target(name: "CounterTerminal", dependencies: ["Counter", "CNcurses"]),
    .target(
        name: "Agent",
        dependencies: [
            "Base",
            "AgentAPI", "OfflineMode", "OfflineCore", "Retail", "Pricing", "TerminalStore", "CurlTransport",
            "LinuxNetwork", "MachineRuntime", "HubProtocol", "Printing", "Logs", "Credentials",
            configuration, system, crypto, logging,
        ]),
    .target(
        name: "PosCLI",
        dependencies: [
            "Base", "AgentAPI", "Agent", "Counter", "CounterTerminal", "Pricing", "MachineRuntime",
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
        dependencies: ["HubStore", "HubCore", "HubProtocol", "Credentials", "DirectSQLite", grdb]),
    .target(
        name: "HubStorePostgres",
        dependencies: ["Base", "HubStore", "HubCore", "HubProtocol", "Credentials", "CPostgres"]),
    .target(name: "Dashboard", dependencies: ["Base", "HubProtocol", "Pricing", mustache]),
    .target(
        name: "HubServer",
        dependencies: [
            "Base", "Dashboard", "HubCore", "HubStore", "HubStoreSQLite", "HubStorePostgres", "HubProtocol",
            "OfflineCore", "CurlTransport",
            "MachineRuntime", "Pricing", "Credentials", "CLinux", crypto, logging, metrics, lifecycle,
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
            "Base", "OfflineMode", "OfflineCore", "CurlTransport", "LinuxNetwork", "MachineRuntime",
        ]),
    .executableTarget(name: "reachability-watch", dependencies: ["Reachability"]),
    .target(name: "HoldfastOffline", dependencies: ["Base", "MachineRuntime", "OfflineCore", "OfflineMode"]),
    .executableTarget(name: "offline-example", dependencies: ["HoldfastOffline"]),
    .executableTarget(
        name: "offline-try", dependencies: ["Base", "MachineRuntime", "OfflineMode", "OfflineCore"]),
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
            "Base", "CVirtualTime", "MachineRuntime", "OfflineMode", "OfflineCore", "HubProtocol",
            "CurlTransport", "LinuxNetwork", "AgentAPI", "Agent", "HubServer", "HubCore", arguments, logging,
        ]),
    .executableTarget(
        name: "pos-lab",
        dependencies: [
            "Base", "PosCLI", "Agent", "AgentAPI", "OfflineMode", "OfflineCore", "HubProtocol", "HubCore",
            "Simulation", "FaultRelay", "Spawning", arguments, grdb,
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
    "LinuxNetwork",
    "Agent",
    "TerminalStore", "ZVT",
]
let fuzzing: Target =
    Context.environment["HOLDFAST_FUZZ"] == nil
    ? .testTarget(name: "FuzzTests", dependencies: parsed, exclude: ["Fuzzer.swift"])
    : .executableTarget(
        name: "fuzz", dependencies: parsed, path: "Tests/FuzzTests", exclude: ["ParserTests.swift"])

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
            "HubCLI", "HubCore", "HubProtocol", "HubServer", "HubStore", "HubStorePostgres",
            "HubStoreSQLite", "Pricing", "TestKit", arguments,
        ]),
    .testTarget(
        name: "HubServerTests",
        dependencies: [
            "Base", "Dashboard", "HubServer", "HubCore", "HubProtocol", "OfflineCore", "Pricing",
            "Credentials", "CurlTransport", "TestKit", crypto, logging,
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
    .testTarget(name: "MachineRuntimeTests", dependencies: ["Base", "MachineRuntime", "TestKit"]),
    .testTarget(
        name: "CurlTransportTests",
        dependencies: [
            "Base", "CurlTransport", "CLibcurl", "OfflineMode", "OfflineCore", "MachineRuntime",
            "HubProtocol",
            "FaultRelay",
            "TestKit",
        ]),
    .testTarget(
        name: "LinuxNetworkTests",
        dependencies: ["Base", "LinuxNetwork", "OfflineMode", "OfflineCore", "MachineRuntime", "TestKit"]),
    .testTarget(
        name: "ReachabilityTests",
        dependencies: [
            "Base", "Reachability", "LinuxNetwork", "OfflineMode", "OfflineCore", "MachineRuntime", "TestKit",
        ]),
    .testTarget(name: "CredentialsTests", dependencies: ["Credentials"]),
    .testTarget(name: "SpawningTests", dependencies: ["Spawning"]),
    .testTarget(name: "FaultRelayTests", dependencies: ["FaultRelay", "TestKit"]),
    .testTarget(name: "PrintingTests", dependencies: ["Base", "MachineRuntime", "Printing", "TestKit"]),
    .testTarget(name: "ZVTTests", dependencies: ["ZVT"]),
    .testTarget(name: "AgentAPITests", dependencies: ["Base", "OfflineCore", "AgentAPI", "HubProtocol"]),
    .testTarget(
        name: "PosCLITests",
        dependencies: [
            "Base", "PosCLI", "Agent", "AgentAPI", "Counter", "HubProtocol", "Logs", "MachineRuntime",
            "OfflineMode", "Pricing", "Retail", "TerminalStore", "TestKit",
        ]),
    .testTarget(
        name: "CounterTests",
        dependencies: ["Base", "HubProtocol", "OfflineCore", "Counter", "AgentAPI", "Pricing"]),
    .testTarget(
        name: "AgentTests",
        dependencies: [
            "Agent", "AgentAPI", "TerminalStore", "OfflineMode", "OfflineCore", "MachineRuntime", "Base",
            "HubProtocol", "HubCore", "Pricing", "Retail", "Logs", "Counter",
            "TestKit", "CurlTransport", logging,
        ]),
    .testTarget(
        name: "ProgramTests",
        dependencies: [
            "Base", "HubProtocol", "Pricing", "OfflineCore", "FaultRelay", "TestKit", crypto, grdb,
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
where target.type != .system && !["CLinux", "CPostgres", "CVirtualTime"].contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
}

/// `HOLDFAST_PART=offline` leaves everything out but the offline module and its examples: one package to resolve in place
/// of all of them, and no web server, database or cryptography to compile. `make try` sets it, and so does a program that
/// embeds the module (docs/concepts/embedding.md).
let isOfflineAlone = Context.environment["HOLDFAST_PART"] == "offline"
let offlineAlone = [
    "Base", "CLinux", "MachineRuntime", "OfflineCore", "OfflineMode", "HoldfastOffline", "offline-example",
    "offline-try",
]
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
    products: isOfflineAlone
        ? products.filter { $0.name == "HoldfastOffline" || offlineAlone.contains($0.name) } : products,
    dependencies: isOfflineAlone ? [swiftLog] : packages,
    targets: isOfflineAlone ? targets.filter { offlineAlone.contains($0.name) } : targets,
    swiftLanguageModes: [.v6]
)
