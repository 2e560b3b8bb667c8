package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Processes on two real nodes that find each other by name and die of each other. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealGangIT {
  /**
   * Rank 0 hears of the others; all of them end with 1 as soon as a connection breaks. The second
   * attempt ends well when all have met.
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

  private static RealFairlead real;

  @BeforeAll
  static void realNodes() {
    real = RealFairlead.shared();
  }

  @Test
  void theRankThatWasKilledIsTheCauseAndTheGangStartsAgainAfterProofOfDeath() {
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
}
