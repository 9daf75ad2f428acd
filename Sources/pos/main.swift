import PosCLI

PosMain.run()
