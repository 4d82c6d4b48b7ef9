"""Runs a program for as long as the process that started it lives.

The guard waits on its standard input, which the operating system closes when that process ends, however it ends.
So a test run that is killed leaves no simulator behind. It takes the folder to remove at the end, and the command.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading


def main() -> None:
    folder, command = sys.argv[1], sys.argv[2:]
    # Ctrl-C reaches the whole terminal; the simulator stays until the tests have been torn down.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    ending = threading.Event()

    def end_with_program() -> None:
        code = program.wait()
        # Whoever asked for the end waits for the folder to be gone.
        if not ending.is_set():
            os._exit(code & 0xFF)

    threading.Thread(target=end_with_program, daemon=True).start()
    while os.read(0, 1024):
        pass
    ending.set()
    program.terminate()
    try:
        program.wait(timeout=5)
    except subprocess.TimeoutExpired:
        program.kill()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
