package dev.fairlead.verify.load.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.verify.load.scale.Pauses.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The benchmark names the cause of each pause of the service. */
class PausesTest {
  private static final Instant END = Instant.parse("2026-03-01T10:00:10Z");
  private static final String CAUSES = "plan, JVM 0.3 s, lock 0.5 s";

  private static Pause pause(long endMillis, long millis, String kind, String detail) {
    return new Pause(END.plusMillis(endMillis), Duration.ofMillis(millis), kind, detail);
  }

  @Test
  void longStageNamesWhatStoppedIt() {
    List<String> lines =
        Pauses.explained(
            List.of(pause(0, 2_000, "cycle", "plan"), pause(0, 100, "cycle", "write")),
            List.of(
                pause(-500, 300, "JVM", "G1CollectForAllocation"),
                pause(-1_500, 1_000, "lock", "ShareLock on transaction 7"),
                pause(-5_000, 300, "JVM", "G1CollectForAllocation")));
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).startsWith(END.minusMillis(1_500) + " lock 1.0 s");
    assertThat(lines.getLast().split(": ")).containsExactly(END + " cycle 2.0 s", CAUSES);
  }

  @Test
  void stageThatNothingStoppedComputed() {
    assertThat(Pauses.explained(List.of(pause(0, 700, "cycle", "plan")), List.of()))
        .singleElement()
        .asString()
        .contains("0.7 s", "own work");
  }

  @Test
  void stopsOfTheJvmAreReadFromItsLog() {
    String log =
        "[2026-03-01T10:00:10.000+0000] Safepoint \"G1CollectForAllocation\", Time since last:"
            + " 2513046 ns, Reaching safepoint: 102 ns, At safepoint: 7, Leaving safepoint: 1 ns,"
            + " Total: 600000000 ns, Threads: 1 runnable, 9 total\n";
    assertThat(Pauses.ofJvm(log)).containsExactly(pause(0, 600, "JVM", "G1CollectForAllocation"));
  }

  @Test
  void statementsAndLocksAreReadFromTheLogOfTheDatabase() {
    String log =
        """
        2026-03-01 10:00:10.000 UTC [77] LOG:  duration: 1500.000 ms  execute S_7: SELECT id
            FROM job
        2026-03-01 10:00:11.000 UTC [78] LOG:  process 78 still waiting for ShareLock on transaction 7 after 500.1 ms
        2026-03-01 10:00:12.000 UTC [78] LOG:  process 78 acquired ShareLock on transaction 7 after 900.000 ms
        2026-03-01 10:00:13.000 UTC [79] LOG:  checkpoint starting: time
        """;
    assertThat(Pauses.ofDatabase(log))
        .containsExactly(
            pause(0, 1_500, "statement", "SELECT id"),
            pause(2_000, 900, "lock", "ShareLock on transaction 7"));
  }
}
