package dev.fairlead.bench.smoke;

import dev.fairlead.bench.Percentiles;
import dev.fairlead.launcher.FairleadApi;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * From sending a submit request to the job's RUNNING, at a steady rate of requests that does not
 * wait for answers.
 */
final class StartLatency {
  private static final String JOBS = "/projects/default/jobs";
  private static final Duration END_WAIT = Duration.ofSeconds(60);

  private final FairleadApi api;
  private final String label;
  private final Map<String, Instant> sent = new ConcurrentSkipListMap<>();

  /**
   * @param label names the jobs of this measurement
   */
  StartLatency(FairleadApi api, String label) {
    this.api = api;
    this.label = label;
  }

  /**
   * Submits and waits until all of them ran.
   *
   * @param perSecond 1..1,000
   */
  Percentiles measure(int perSecond, Duration time) throws InterruptedException {
    long count = perSecond * time.toSeconds();
    Instant start = Instant.now();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (long i = 0; i < count; i++) {
        String name = label + "-" + i;
        sleepUntil(start.plusNanos(i * 1_000_000_000L / perSecond));
        threads.execute(() -> submit(name));
      }
    }
    return new Percentiles(awaitRunning((int) count));
  }

  private void submit(String name) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("name", name)
        .put("image", "registry.example.com/bench/start:1")
        .put("gpu", 1)
        .put("run", "true");
    body.putObject("labels").put("bench", label);
    body.putObject("annotations").put("sim.fairlead.dev/run-for", "1s");
    Instant at = Instant.now();
    api.post(JOBS, body);
    sent.put(name, at);
  }

  private List<Duration> awaitRunning(int count) throws InterruptedException {
    Instant until = Instant.now().plus(END_WAIT);
    List<Duration> latencies = latencies();
    while (latencies.size() < count) {
      if (Instant.now().isAfter(until)) {
        throw new IllegalStateException(
            latencies.size() + " of " + count + " jobs ran within " + END_WAIT);
      }
      Thread.sleep(Duration.ofMillis(500));
      latencies = latencies();
    }
    return latencies;
  }

  private List<Duration> latencies() {
    List<Duration> latencies = new ArrayList<>();
    api.each(
        JOBS + "?pageSize=500&label=bench%3D" + label,
        job -> {
          Instant at = sent.get(job.path("name").asString(""));
          if (at != null && job.path("startedAt").isString()) {
            latencies.add(Duration.between(at, Instant.parse(job.path("startedAt").asString())));
          }
        });
    return latencies;
  }

  private static void sleepUntil(Instant at) throws InterruptedException {
    Duration left = Duration.between(Instant.now(), at);
    if (left.isPositive()) {
      Thread.sleep(left);
    }
  }
}
