import HubCLI

await HubProgram.main()
