package dev.fairlead.verify.load.api;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.load.smoke.HeapInUse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs a thousand event streams with two hundred events a second: checks that each stream gets each
 * event, and measures the growth of the service's heap (after a full collection, halfway).
 */
final class StreamBench {
  private static final int STREAMS = 1_000;
  private static final int RATE = 200;
  private static final int BATCHES = 5;
  private static final int SECONDS = 20;
  private static final Duration LATEST = Duration.ofSeconds(30);
  private static final String PATH = "/api/v1/events/stream?type=JobSubmitted";
  private final LocalFairlead fairlead;

  StreamBench(LocalFairlead fairlead) {
    this.fairlead = fairlead;
  }

  List<Figure> measure() throws IOException, InterruptedException {
    long pid = fairlead.service().pid();
    double before = HeapInUse.megabytes(pid);
    try (OpenStreams streams = OpenStreams.open(fairlead.service().address(), PATH, STREAMS)) {
      long start = System.nanoTime();
      events(start, 0, SECONDS / 2);
      double extra = HeapInUse.megabytes(pid) - before;
      events(start, SECONDS / 2, SECONDS);
      double rate = RATE * SECONDS / seconds(start);
      long sent = System.nanoTime();
      while (streams.least() < (long) RATE * SECONDS && seconds(sent) < LATEST.toSeconds()) {
        Thread.sleep(10);
      }
      String what = String.format(Locale.ROOT, "%,d event streams", STREAMS);
      return List.of(
          Figure.atMost(what + ", extra heap", extra, "MB", 256),
          Figure.atLeast(what + ", events a second stored", rate, "/s", RATE * 0.99),
          Figure.atLeast(
              what + ", share of events that the slowest received",
              100.0 * streams.least() / (RATE * SECONDS),
              "%",
              100),
          Figure.atMost(
              what + ", until the slowest received the last event",
              seconds(sent) * 1000,
              "ms",
              2000));
    }
  }

  /** Submits at the rate, in batches of equal size at equal intervals, from second to second. */
  private void events(long start, int from, int to) throws InterruptedException {
    FairleadApi api = fairlead.api();
    for (int batch = from * BATCHES; batch < to * BATCHES; batch++) {
      long due = start + batch * 1_000_000_000L / BATCHES;
      Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
      api.post("/projects/default/jobs/batch", jobs(RATE / BATCHES));
    }
  }

  private static ObjectNode jobs(int count) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < count; i++) {
      body.withArray("items").addObject().put("image", "x").put("gpu", "H100:8");
    }
    return body;
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
