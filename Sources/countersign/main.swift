import Service

CommandLineTool.run(startingSandbox: EmbeddedSandbox.start)
