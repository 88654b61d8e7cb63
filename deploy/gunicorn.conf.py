"""gunicorn for Assay's web process; read by `assay web` and by the container."""

import os
from pathlib import Path

bind = f"{os.environ.get('ASSAY_HOST', '127.0.0.1')}:{os.environ.get('ASSAY_PORT', '8080')}"
wsgi_app = "bot.wsgi:application()"

# Threads wait for the database, not for the processor. GitHub gives up after 10 seconds.
worker_class = "bot.web.server.PatientWorker"  # gthread that cuts slow senders off
workers = int(os.environ.get("ASSAY_WEB_WORKERS", "2"))
threads = int(os.environ.get("ASSAY_WEB_THREADS", "8"))
timeout = 60
graceful_timeout = 20
keepalive = 5

# Connections to the database do not survive a fork: the application is built in each worker.
preload_app = False

max_requests = 20_000
max_requests_jitter = 2_000
limit_request_line = 4_094
limit_request_field_size = 8_190
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
errorlog = "-"
accesslog = None
control_socket_disable = True  # it would stand in the home folder, one for all servers

# All workers count into files of one folder. It must be known before the first import of the client.
_counts = Path(os.environ.get("ASSAY_HOME", ".assay")).absolute() / "metrics"
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(_counts))


def on_starting(server):
    """Start counting from zero: what an earlier server left would be added twice."""
    folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.db"):
        old.unlink()


def child_exit(server, worker):
    """Forget the gauges of a worker that is gone; its counts stay."""
    # Not at the top: the client looks for the folder when it is imported.
    from prometheus_client import multiprocess  # noqa: PLC0415

    multiprocess.mark_process_dead(worker.pid)
