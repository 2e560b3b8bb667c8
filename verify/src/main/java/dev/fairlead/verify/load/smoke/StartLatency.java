package dev.fairlead.verify.load.smoke;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Percentiles;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Time from a submit request to the job's RUNNING, at a steady rate of requests that does not
 * depend on responses.
 */
final class StartLatency {
  private static final String JOBS = "/projects/default/jobs";
  private static final String NOT_RUNNING_YET = "&state=QUEUED&state=ADMITTED&state=STARTING";
  private static final Duration END_WAIT = Duration.ofSeconds(60);

  private final FairleadApi api;
  private final String label;
  private final Map<String, Instant> sent = new ConcurrentSkipListMap<>();
  private final Queue<String> refused = new ConcurrentLinkedQueue<>();

  /**
   * @param label label of the jobs of this measurement
   */
  StartLatency(FairleadApi api, String label) {
    this.api = api;
    this.label = label;
  }

  /**
   * Submits jobs and waits until all of them ran.
   *
   * @param perSecond 1..1,000
   * @throws IllegalStateException when a submit was refused, or a job did not run in time
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
    if (!refused.isEmpty()) {
      throw new IllegalStateException(
          refused.size() + " of " + count + " submits were refused, the first: " + refused.peek());
    }
    awaitRunning();
    return new Percentiles(latencies());
  }

  private void submit(String name) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("name", name)
        .put("image", "registry.example.com/verify/start:1")
        .put("gpu", 1)
        .put("run", "true");
    body.putObject("labels").put("bench", label);
    body.putObject("annotations").put("sim.fairlead.dev/run-for", "1s");
    Instant at = Instant.now();
    try {
      api.post(JOBS, body);
      sent.put(name, at);
    } catch (ApiRefusal | UncheckedIOException e) {
      refused.add(String.valueOf(e.getMessage()));
    }
  }

  private void awaitRunning() throws InterruptedException {
    Instant until = Instant.now().plus(END_WAIT);
    while (!api.isEmpty(jobs(1) + NOT_RUNNING_YET)) {
      if (Instant.now().isAfter(until)) {
        throw new IllegalStateException("not all jobs ran within " + END_WAIT.toSeconds() + " s");
      }
      Thread.sleep(Duration.ofMillis(500));
    }
  }

  private List<Duration> latencies() {
    List<Duration> latencies = new ArrayList<>();
    api.each(
        jobs(500),
        job -> {
          Instant at = sent.get(job.path("name").asString(""));
          if (at != null && job.path("startedAt").isString()) {
            latencies.add(Duration.between(at, Instant.parse(job.path("startedAt").asString())));
          }
        });
    return latencies;
  }

  private String jobs(int pageSize) {
    return JOBS + "?pageSize=" + pageSize + "&label=bench%3D" + label;
  }

  private static void sleepUntil(Instant at) throws InterruptedException {
    Duration left = Duration.between(Instant.now(), at);
    if (left.isPositive()) {
      Thread.sleep(left);
    }
  }
}
