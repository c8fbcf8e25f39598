"""Two Redis servers, one the replica of the other, and three Sentinels that may swap them."""

import os

from harness import places
import redis as local_redis
import servers

SENTINELS = 3
NAME = "mymaster"

# What a server has confirmed is in its append-only file before it answers: killed and started again it has forgotten
# nothing. It has a configuration file so that the Sentinels can write down whose replica it is, for its next start.
_SERVER = """port {port}
bind 127.0.0.1
dir {directory}
save ""
appendonly yes
repl-diskless-sync-delay 0
repl-backlog-size 4mb
{replica_of}
"""
_SENTINEL = """port {port}
bind 127.0.0.1
dir {directory}
sentinel monitor {name} 127.0.0.1 {primary} 2
sentinel down-after-milliseconds {name} 1500
sentinel failover-timeout {name} 6000
"""


class Server(local_redis.Redis):
    """One of the two: it comes back with what it had."""

    def __init__(self, number, port, replica_of):
        super().__init__(port)
        self.name = f"redis-{number}"
        self.paused = False
        self._path = os.path.join(self.directory, "redis.conf")
        with open(self._path, "w") as file:
            file.write(_SERVER.format(port=port, directory=self.directory, replica_of=replica_of))

    def spawn(self):
        """Does not wait until it answers."""
        self.process = servers.start_child(["redis-server", self._path], self.log_path)

    def running(self):
        return self.process is not None and self.process.poll() is None and not self.paused

    def facts(self):
        """Its INFO replication as a dict; empty if it does not answer."""
        try:
            text = self.ask("INFO", "replication", timeout=0.5)
        except (OSError, ValueError, local_redis.RedisError):
            return {}
        return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)

    def pause(self):
        self.paused = True
        super().pause()

    def resume(self):
        super().resume()
        self.paused = False


class Pair:
    def __init__(self, directory, ports, sentinel_ports):
        """`ports`: of the two servers; `sentinel_ports`: of the Sentinels."""
        self.servers = [Server(1, ports[0], ""), Server(2, ports[1], f"replicaof 127.0.0.1 {ports[0]}")]
        self._directory, self._sentinel_ports, self._sentinels = directory, sentinel_ports, []

    def start(self):
        for server in self.servers:
            server.spawn()
        # Sentinels look for replicas every ten seconds: let them find this one at their first look.
        places.wait_until(lambda: self.servers[1].facts().get("master_link_status") == "up", 20, "the replica")
        for number, port in enumerate(self._sentinel_ports):
            place = os.path.join(self._directory, f"sentinel-{number + 1}")
            os.makedirs(place)
            path = os.path.join(place, "sentinel.conf")
            with open(path, "w") as file:
                file.write(_SENTINEL.format(port=port, directory=place, name=NAME, primary=self.servers[0].port))
            log = os.path.join(place, "log")
            self._sentinels.append(servers.start_child(["redis-server", path, "--sentinel"], log))

    def primary(self):
        """The server that the Sentinels name, if they do."""
        for port in self._sentinel_ports:
            try:
                found = local_redis.ask(port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME, timeout=0.5)
            except (OSError, ValueError, local_redis.RedisError):
                continue
            return next((server for server in self.servers if found and str(server.port) == found[1]), None)
        return None

    def replica(self):
        primary = self.primary()
        return next((server for server in self.servers if server is not primary), None) if primary else None

    def whole(self):
        """Whether one is the primary, the other its replica with all it has, and the Sentinels would swap them."""
        if not all(server.running() for server in self.servers):
            return False
        primary = self.primary()
        if primary is None or primary.facts().get("role") != "master":
            return False
        facts = self.replica().facts()
        return (facts.get("role") == "slave" and facts.get("master_link_status") == "up"
                and facts.get("master_port") == str(primary.port) and self._agreed())

    def _agreed(self):
        try:
            for port in self._sentinel_ports:
                local_redis.ask(port, "SENTINEL", "CKQUORUM", NAME)
                if len(local_redis.ask(port, "SENTINEL", "REPLICAS", NAME)) != 1:
                    return False
            return True
        except (OSError, ValueError, local_redis.RedisError):
            return False

    def fail_over(self):
        """Asks the Sentinels to swap them; False if they will not."""
        try:
            local_redis.ask(self._sentinel_ports[0], "SENTINEL", "FAILOVER", NAME)
            return True
        except (OSError, ValueError, local_redis.RedisError):
            return False

    def stop(self):
        for process in self._sentinels:
            process.kill()
            process.wait()
        for server in self.servers:
            if server.process is not None:
                server.process.kill()
            server.stop()
