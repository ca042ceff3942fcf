import Service

CommandLineTool.run()
