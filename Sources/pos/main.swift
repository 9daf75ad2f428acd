import PosCLI

await PosMain.run(Array(CommandLine.arguments.dropFirst()))
