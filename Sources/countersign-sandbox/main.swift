import Sandbox

SandboxTool.run()
