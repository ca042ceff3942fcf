"""Servers that the checks start beside what they check: the sandbox, and nginx to compare with."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

from service import free_port

MEBI = 1 << 20


def peak_memory(process):
    """The most that was resident at a time, in bytes; 0 for a process that has ended and was not waited for."""
    found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text())
    return int(found[1]) * 1024 if found else 0


class Program:
    """A server that was started, and ends with the check."""

    def __init__(self, command, port):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.port = port
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.stop(signal.SIGKILL)
        raise SystemExit(f"{command[0]} does not listen")

    def peak_memory(self):
        return peak_memory(self.process.pid)

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def timed(self, name, size, run):
        """Runs, says how fast the server was and how busy, and returns what came of it."""
        begin, used = time.monotonic(), self.processor_seconds()
        result = run()
        seconds, used = time.monotonic() - begin, self.processor_seconds() - used
        print(f"{name}: {size / MEBI / seconds:.0f} MiB/s, of {seconds:.1f} s it was busy for {used:.1f} s", flush=True)
        return result

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.wait(30)


class NginxDAV(Program):
    """What takes files by PUT below a folder, and gives them back."""

    @staticmethod
    def is_installed():
        return shutil.which("nginx") is not None

    def __init__(self, folder):
        port, data = free_port(), folder / "nginx"
        data.mkdir()
        (folder / "nginx.conf").write_text(f"""
            daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; events {{ }}
            http {{
                access_log off; client_max_body_size 0; client_body_temp_path {data}/.body;
                server {{ listen 127.0.0.1:{port}; root {data}; location / {{ dav_methods PUT; }} }}
            }}""")
        super().__init__(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/nginx.log"], port)

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"
