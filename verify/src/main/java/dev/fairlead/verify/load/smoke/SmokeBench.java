package dev.fairlead.verify.load.smoke;

import dev.fairlead.launcher.DemoFleet;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code make bench-smoke}: measures a service with an untuned JVM on an embedded database. Prints
 * each figure with its floor for 2 cores, and exits with 0 when all are met, 1 when not.
 */
public final class SmokeBench {
  private static final int LIVE_JOBS = 10_000;
  private static final int WARM_UP_JOBS = 2_000;
  private static final int PER_SECOND = 50;

  private SmokeBench() {}

  public static void main(String[] args) {
    Program.of("bench-smoke", "floors of submits, starts, heap and start-up")
        .measure(args, (arguments, report) -> measure(report));
  }

  private static void measure(Report report) throws IOException, InterruptedException {
    try (LocalFairlead fairlead = LocalFairlead.start("bench-smoke", List.of())) {
      FairleadApi api = fairlead.api();
      report.figure(Figure.atMost("service ready", seconds(fairlead.readyAfter()), "s", 12));
      DemoFleet.read().register(api);
      api.post("/clusters", roomyCluster());
      new StartLatency(api, "warm").measure(PER_SECOND, Duration.ofSeconds(10));
      Percentiles starts =
          new StartLatency(api, "start").measure(PER_SECOND, Duration.ofSeconds(20));
      report.figure(
          Figure.atMost("submit to RUNNING at 50/s, p50", seconds(starts.at(50)), "s", 1));
      report.figure(
          Figure.atMost("submit to RUNNING at 50/s, p99", seconds(starts.at(99)), "s", 3));
      BatchSubmit.submit(api, "warm-batch", WARM_UP_JOBS);
      double rate = BatchSubmit.submit(api, "batch", LIVE_JOBS - WARM_UP_JOBS);
      report.figure(Figure.atLeast("batch submit, 500 a request", rate, "jobs/s", 2_000));
      double heap = HeapInUse.megabytes(fairlead.service().pid());
      report.figure(Figure.atMost("heap in use at 10,000 live jobs", heap, "MB", 512));
    }
  }

  /** Enough GPUs that no job waits for one, so that the queue does not affect the measurement. */
  private static ObjectNode roomyCluster() {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("name", "load").put("kind", "SIMULATED");
    body.putArray("fleet")
        .addObject()
        .put("nodes", 64)
        .put("gpusPerNode", 8)
        .put("model", "H100")
        .put("blocks", 4)
        .put("racksPerBlock", 2);
    return body;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
