import PosCLI

PosMain.run(Array(CommandLine.arguments.dropFirst()))
