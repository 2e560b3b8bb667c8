package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Processes on two real nodes that find each other by name and fail together. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealGangIT {
  /**
   * Every rank connects to rank 0. If a connection breaks, all exit with 1. The second attempt
   * succeeds when all members have met.
   */
  private static final String RING =
      """
      import os, socket, sys, time
      rank, me = int(os.environ["FAIRLEAD_INDEX"]), socket.getfqdn()
      at = (me.replace("worker-%d" % rank, "worker-0", 1), 29500)
      def broken(sock):
          sock.settimeout(None)
          if not sock.recv(1): print("connection closed by peer"); sys.exit(1)
      if rank == 0:
          import selectors
          server, waits = socket.create_server(("", at[1])), selectors.DefaultSelector()
          for peer in [server.accept()[0] for _ in range(3)]:
              peer.sendall(b"x"); waits.register(peer, selectors.EVENT_READ)
          print("all met")
          if os.environ["FAIRLEAD_ATTEMPT"] == "2": sys.exit(0)
          for key, _ in waits.select(): broken(key.fileobj)
      else:
          while True:
              try: peer = socket.create_connection(at, 2); break
              except OSError: time.sleep(0.1)
          broken(peer)
          print("all met")
          if os.environ["FAIRLEAD_ATTEMPT"] == "2": sys.exit(0)
          broken(peer)
      """;

  /** The members of JAX meet at its coordinator and then wait for their stop. */
  private static final String MEETING =
      """
      import os, signal, socket, sys, time
      host, port = os.environ["JAX_COORDINATOR_ADDRESS"].split(":")
      size = int(os.environ["JAX_NUM_PROCESSES"])
      if os.environ["JAX_PROCESS_ID"] == "0":
          server = socket.create_server(("", int(port)))
          for peer in [server.accept()[0] for _ in range(size - 1)]: peer.sendall(b"x")
      else:
          while True:
              try: peer = socket.create_connection((host, int(port)), 2); break
              except OSError: time.sleep(0.1)
          peer.settimeout(None); peer.recv(1)
      signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
      print("met as", os.environ["JAX_PROCESS_ID"], "of", size)
      signal.pause()
      """;

  private static RealFairlead real;

  @BeforeAll
  static void realNodes() {
    real = RealFairlead.shared();
  }

  @Test
  void killedRankIsTheCauseAndTheGangRestartsAfterProofOfDeath() {
    String job =
        real.submit(
            "workers: 4\n"
                + "gpu: 2\n"
                + "spread: {level: host, maxPerDomain: 2}\n"
                + "retry: {maxAttempts: 2, on: [USER_ERROR]}",
            RING);
    real.awaitLog(job, "worker-0", "all met");

    real.cluster().kill(real.namespace(), real.pod(job, 2), "SIGKILL");

    real.reach(job, "SUCCEEDED");
    JsonNode first = real.attempt(job, 1);
    assertThat(first.get("message").asString()).contains("worker-2").contains("137");
    assertThat(first.get("members"))
        .extracting(m -> m.get("exitCode").asInt())
        .containsExactly(1, 1, 137, 1);
    assertThat(real.facts(job, "MemberFailed"))
        .extracting(fact -> fact.get("evidence").asString())
        .hasSize(4)
        .containsOnly("CONTAINER_TERMINATED");
    assertThat(real.attempt(job, 2).get("createdAt").asString())
        .isGreaterThan(first.get("endedAt").asString());
  }

  /** Fails when the address of a launcher has no name on another node, or a sidecar no output. */
  @Test
  void membersOfALauncherMeetOnTwoNodesAndTheirSidecarsHaveOutput() {
    String job =
        real.submit(
            "workers: 2\n"
                + "gpu: 2\n"
                + "spread: {level: host, maxPerDomain: 1}\n"
                + "launcher: jax\n"
                + "sidecars:\n"
                + "- {name: proxy, image: 'localhost/job:1', "
                + "run: 'trap \"exit\" TERM; echo ready; sleep 600 & wait'}",
            MEETING);

    real.awaitLog(job, "worker-0", "met as 0 of 2");
    real.awaitLog(job, "worker-1", "met as 1 of 2");
    real.awaitLog(job, "worker-1&container=proxy", "ready");
    assertThat(real.node(job, 0)).isNotEqualTo(real.node(job, 1));

    real.cancel(job);
    real.reach(job, "CANCELLED");
  }
}
