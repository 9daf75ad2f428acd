import PosCLI

PosMain.run(PosCommand.self)
