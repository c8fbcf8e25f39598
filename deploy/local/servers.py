"""What both local servers need: a free port, a child that dies with us, and staying in the foreground."""

import ctypes
import fcntl
import os
import random
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def free_ports(count, beside=0):
    """Free ports below the range from which outgoing connections take theirs. They are ours until this process ends:
    whoever asks here meanwhile gets others, also while nobody listens. `beside`: so is the port that much above each.
    Those below 20000 are for tests/adapters, which do not ask."""
    ports = []
    while len(ports) < count:
        port = random.randrange(20000, 32000 - beside)
        if _reserve(port) and (not beside or _reserve(port + beside)):
            ports.append(port)
    return ports


_reserved = []  # Locks: the kernel gives them back with the process, whatever becomes of it.


def _reserve(port):
    folder = os.path.join(tempfile.gettempdir(), f"einlass-ports-{os.getuid()}")
    os.makedirs(folder, exist_ok=True)
    lock = os.open(os.path.join(folder, str(port)), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as candidate:
            candidate.bind(("127.0.0.1", port))
    except OSError:
        os.close(lock)
        return False
    _reserved.append(lock)
    return True


def start_child(arguments, log_path, **options):
    """Starts a process that the kernel kills with SIGKILL as soon as the calling thread is gone."""
    parent = os.getpid()

    def die_with_parent():
        os.setpgid(0, 0)  # Ctrl-C is for us. A session of its own would have a core's share of its own, whoever is nice.
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    with open(log_path, "ab") as log:
        streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        return subprocess.Popen(arguments, preexec_fn=die_with_parent, **{**streams, **options})


def stop_child(process, patience=10.0):
    """SIGTERM, and SIGKILL for one that does not listen. Does nothing for one that is gone."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def tail(path, lines=15):
    try:
        with open(path, errors="replace") as log:
            return "".join(log.readlines()[-lines:])
    except OSError:
        return ""


def stay(process):
    """Waits for SIGTERM, SIGINT, the end of a piped stdin, or the server's own end.

    Returns whether it was we who were asked to go. An stdin that is no pipe is not looked at: a
    job in the background has /dev/null there, which is at its end from the start.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    watched = [reader]
    mode = os.fstat(0).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        watched.append(0)
    while process.poll() is None:
        ready, _, _ = select.select(watched, [], [], 1.0)
        if reader in ready and set(os.read(reader, 64)) & {signal.SIGTERM, signal.SIGINT}:
            return True
        if 0 in ready and not os.read(0, 4096):
            return True
    return False


def run_in_foreground(server, describe, detach):
    """The body of both programs: start, say where, stay, stop. Returns the exit code.

    With `detach` a second process stays in our place, and we return once the server answers.
    """
    if not detach:
        server.start()
        print(describe(server), flush=True)
        try:
            asked = stay(server.process)
        finally:
            server.stop()
        return 0 if asked else 1
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.close(reader)
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 0)
        os.dup2(quiet, 1)
        try:
            server.start()
            os.dup2(quiet, 2)
            os.write(writer, describe(server).encode())
            os.close(writer)
            stay(server.process)
        finally:
            server.stop()
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        line = answer.read()
    print(line, flush=True)
    return 0 if line else 1


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")
