import PosCLI

PosMain.run(LabCommand.self)
