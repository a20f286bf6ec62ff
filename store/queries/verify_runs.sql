SELECT id, family, total, open, process, epoch, started_ms FROM run
