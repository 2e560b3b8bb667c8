package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Single processes on real nodes: their ends and their logs. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealProcessesIT {
  private static final String LISTENS =
      """
      import signal, sys, time
      def leave(*_):
          print("saving")
          time.sleep(1)
          print("saved")
          sys.exit(7)
      signal.signal(signal.SIGTERM, leave)
      print("ready")
      while True: time.sleep(1)
      """;

  private static RealFairlead real;

  @BeforeAll
  static void realNodes() {
    real = RealFairlead.shared();
  }

  @Test
  void processWithExitCodeZeroSucceeds() {
    String job = real.submit("gpu: 1", "import os; print(os.environ['NVIDIA_VISIBLE_DEVICES'])");

    real.reach(job, "SUCCEEDED");
    assertThat(real.member(job, 0).get("exitCode").asInt()).isZero();
    assertThat(real.member(job, 0).get("endedAt").asString()).isNotEmpty();
  }

  @Test
  void processExitCodeThreeIsReportedAndItsOutputIsReadable() {
    String job = real.submit("", "print('no such file'); raise SystemExit(3)");

    JsonNode failure = real.reach(job, "FAILED").get("failure");
    assertThat(failure.get("cause").asString()).isEqualTo("USER_ERROR");
    assertThat(failure.get("exitCode").asInt()).isEqualTo(3);
    assertThat(real.log(job, "worker-0")).isEqualTo("no such file\n");
  }

  /** Fails when a dollar sign of the job is expanded or removed before it reaches the process. */
  @Test
  void processReceivesItsCommandAndEnvironmentWithUnexpandedDollars() {
    String job =
        real.submit(
            "env: {A: '$$', B: '$$(A)', C: '$$$', D: '$(date)', E: '$(A)'}",
            "import os; print(*(os.environ[n] for n in 'ABCDE'), '$$ $$(A) $$$ $(date) $(A)')");

    real.reach(job, "SUCCEEDED");
    assertThat(real.log(job, "worker-0"))
        .isEqualTo("$$ $$(A) $$$ $(date) $(A) $$ $$(A) $$$ $(date) $(A)\n");
  }

  @Test
  void processAboveItsMemoryLimitIsOutOfMemory() {
    String job = real.submit("", "x = []\nwhile True: x.append(bytearray(1 << 22))");

    JsonNode failure = real.reach(job, "FAILED").get("failure");
    assertThat(failure.get("cause").asString()).isEqualTo("OUT_OF_MEMORY");
    assertThat(failure.get("exitCode").asInt()).isEqualTo(137);
  }

  @Test
  void cancelledProcessHasItsGracePeriodAndItsOutputIsFollowedToTheEnd() {
    String job = real.submit("preemption: {gracePeriod: 60s}", LISTENS);
    real.awaitLog(job, "worker-0", "ready");
    try (Stream<String> lines = real.follow(job)) {
      Iterator<String> said = lines.iterator();
      assertThat(said.next()).isEqualTo("ready");
      assertThat(real.job(job).get("state").asString()).isEqualTo("RUNNING");

      real.cancel(job);

      assertThat(List.of(said.next(), said.next())).containsExactly("saving", "saved");
      assertThat(said.hasNext()).isFalse();
    }
    real.reach(job, "CANCELLED");
    assertThat(real.member(job, 0).get("exitCode").asInt()).isEqualTo(7);
  }

  @Test
  void processThatIgnoresSigtermIsKilledAfterItsGracePeriod() {
    String job =
        real.submit(
            "preemption: {gracePeriod: 1s}",
            "import signal, time\n"
                + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                + "print('deaf')\n"
                + "time.sleep(3600)");
    real.awaitLog(job, "worker-0", "deaf");

    real.cancel(job);

    real.reach(job, "CANCELLED");
    assertThat(real.member(job, 0).get("exitCode").asInt()).isEqualTo(137);
  }
}
