import CommandLine

CommandLineTool.run()
