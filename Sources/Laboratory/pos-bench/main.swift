internal import ArgumentParser

BenchCommand.main()
