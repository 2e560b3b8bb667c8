package dev.fairlead.work.workload.simulation;

import static dev.fairlead.work.workload.simulation.VirtualCluster.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LogRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SimulatedLogsTest {
  private final VirtualCluster sim = VirtualCluster.ofNodes(1);

  @Test
  void runningMemberLogsItsIdentityAndAHeartbeat() throws IOException {
    LaunchOrder order = sim.launch(job().gpus(2));
    sim.advanceSeconds(25);
    List<String> lines = lines(order, null, null);
    assertThat(lines).hasSize(3);
    assertThat(lines.getFirst())
        .contains("FAIRLEAD_JOB_NAME=train FAIRLEAD_ATTEMPT=1 FAIRLEAD_ROLE=worker")
        .contains("FAIRLEAD_INDEX=0 NODE_NAME=sim-gpu-0000")
        .contains(order.attempt().members().getFirst().gpus().getLast().serial());
    assertThat(lines.subList(1, 3))
        .containsExactly(
            "2030-01-01T00:00:10.100Z heartbeat 1", "2030-01-01T00:00:20.100Z heartbeat 2");
  }

  @Test
  void endedMemberLogsItsExitCodeLast() throws IOException {
    LaunchOrder order = ended();
    assertThat(lines(order, null, null)).hasSize(4);
    assertThat(lines(order, 1, null))
        .containsExactly("2030-01-01T00:00:25.100Z ended with exit code 3 (Error)");
    assertThat(lines(order, 0, null)).isEmpty();
    assertThat(lines(order, 100, null)).hasSize(4);
  }

  @Test
  void linesBeforeATimeAreOmitted() throws IOException {
    LaunchOrder order = ended();
    Instant start = Instant.parse("2030-01-01T00:00:00.100Z");
    assertThat(lines(order, null, start)).hasSize(4);
    assertThat(lines(order, null, start.plusMillis(1))).hasSize(3);
    assertThat(lines(order, null, start.plusSeconds(20))).hasSize(2);
    assertThat(lines(order, null, start.plusSeconds(25))).hasSize(1);
    assertThat(lines(order, null, start.plusSeconds(26))).isEmpty();
  }

  @Test
  void memberNotYetStartedHasNoOutput() {
    LaunchOrder order = sim.launch(job());
    assertThatThrownBy(() -> lines(order, null, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has not started");
  }

  @Test
  @Timeout(240)
  void followerGetsEachLineAsWrittenAndThenTheEnd() throws Exception {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/run-for", "15s"));
    sim.advanceSeconds(1);
    BlockingQueue<String> got = new ArrayBlockingQueue<>(10);
    Thread follower = Thread.ofVirtual().start(() -> follow(order, got));
    assertThat(got.poll(60, TimeUnit.SECONDS)).contains("started");
    sim.advanceSeconds(10);
    assertThat(got.poll(60, TimeUnit.SECONDS)).contains("heartbeat 1");
    sim.advanceSeconds(10);
    assertThat(got.poll(60, TimeUnit.SECONDS)).contains("ended with exit code 0");
    follower.join();
    assertThat(got).isEmpty();
  }

  private LaunchOrder ended() {
    LaunchOrder order =
        sim.launch(
            job()
                .annotation("sim.fairlead.dev/run-for", "25s")
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/exit-code", "3"));
    sim.advanceSeconds(90);
    return order;
  }

  private void follow(LaunchOrder order, BlockingQueue<String> got) {
    LogRequest request = VirtualCluster.log(order, null, null, true);
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(sim.cluster.logs(request), StandardCharsets.UTF_8))) {
      reader.lines().forEach(got::add);
    } catch (IOException broken) {
      got.add(broken.toString());
    }
  }

  private List<String> lines(LaunchOrder order, Integer tail, Instant since) throws IOException {
    try (InputStream stream = sim.cluster.logs(VirtualCluster.log(order, tail, since, false))) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> {
            String[] timed = line.split(" ", 2);
            assertThat(timed[1]).startsWith(timed[0]); // the time of the line, and the line
            return timed[1];
          })
          .toList();
    }
  }
}
