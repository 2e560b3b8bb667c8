package dev.fairlead.verify.load.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlurmBenchTest {
  private static final String DIAGNOSTICS =
      """
      DBD Agent queue size: 542

      Jobs submitted: 12
      Jobs started:   11
      Jobs completed: 7
      """;

  /** Fails when an array is longer than Fairlead allows, or a tenth of the jobs is not whole. */
  @Test
  void counterOfSdiagIsReadByName() {
    assertThat(SlurmPeer.counter(DIAGNOSTICS, "Jobs started:")).isEqualTo(11);
    assertThat(SlurmPeer.counter(DIAGNOSTICS, "Jobs completed:")).isEqualTo(7);
  }

  /** Fails when a missing counter reads as 0 and the benchmark waits for its time limit. */
  @Test
  void aMissingCounterIsAnError() {
    assertThatThrownBy(() -> SlurmPeer.counter(DIAGNOSTICS, "Jobs lost:"))
        .hasMessageContaining("Jobs lost:");
  }

  /** Fails when CPU from before the load counts for its jobs. */
  @Test
  void runCountsTheCpuOfItsJobs() throws InterruptedException {
    ImmediatePeer peer = new ImmediatePeer();
    PeerRun run = PeerRun.measure("x", peer, "4 single submits", 4, () -> peer.submitted = 4);

    assertThat(run.cpuMillis()).containsExactlyEntriesOf(new TreeMap<>(Map.of("all", 2.0)));
    assertThat(run.row()).contains("4 single submits").contains("all 2.00");
  }

  /** Ends each job immediately with 2 ms of CPU. Its start took 100 ms. */
  private static final class ImmediatePeer implements Peer {
    private int submitted;

    @Override
    public void submit() {
      submitted++;
    }

    @Override
    public void array(int elements) {
      submitted += elements;
    }

    @Override
    public boolean started() {
      return true;
    }

    @Override
    public boolean ended() {
      return true;
    }

    @Override
    public void settle() {}

    @Override
    public SortedMap<String, Double> cpuMillis() {
      return new TreeMap<>(Map.of("all", 100 + 2.0 * submitted));
    }

    @Override
    public void fill(int jobs) {
      submitted += jobs;
    }

    @Override
    public SortedMap<String, Runnable> questions() {
      return new TreeMap<>();
    }

    @Override
    public String missing() {
      return "";
    }

    @Override
    public void close() {}
  }
}
