package dev.fairlead.verify.load.scale;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Cycles of the scheduler, from its own metric: read, plan and write of each. Samples every 100 ms.
 * Shorter cycles are averaged over one sample.
 */
final class Cycles implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration EVERY = Duration.ofMillis(100);
  private static final List<String> STAGES = List.of("read", "plan", "write");

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI management;
  private final List<Duration> seen = new ArrayList<>();
  private final List<Pauses.Pause> stages = new ArrayList<>();
  private final Thread thread;

  /** Passes and seconds of one stage since the start of the service. */
  private record Stage(double count, double seconds) {
    double each(Stage before) {
      double turns = count - before.count;
      return turns > 0 ? (seconds - before.seconds) / turns : 0;
    }
  }

  private Cycles(URI management) {
    this.management = management;
    this.thread = Thread.ofPlatform().daemon().name("cycles").unstarted(this::watch);
  }

  /**
   * @param management address of the service's metrics
   */
  static Cycles watch(URI management) {
    Cycles cycles = new Cycles(management);
    cycles.thread.start();
    return cycles;
  }

  private void watch() {
    try {
      List<Stage> before = stages();
      while (true) {
        Thread.sleep(EVERY);
        List<Stage> now = stages();
        if (now.getLast().count() > before.getLast().count()) {
          note(before, now);
          before = now;
        }
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void note(List<Stage> before, List<Stage> now) {
    double seconds = 0;
    Instant end = Instant.now();
    for (int i = STAGES.size() - 1; i >= 0; i--) {
      double each = now.get(i).each(before.get(i));
      Duration stage = Duration.ofNanos((long) (each * 1e9));
      synchronized (seen) {
        stages.add(new Pauses.Pause(end, stage, "cycle", STAGES.get(i)));
      }
      end = end.minus(stage);
      seconds += each;
    }
    Duration took = Duration.ofNanos((long) (seconds * 1e9));
    int turns = (int) (now.getLast().count() - before.getLast().count());
    synchronized (seen) {
      for (int i = 0; i < turns; i++) {
        seen.add(took);
      }
    }
  }

  private List<Stage> stages() throws InterruptedException {
    List<Stage> all = new ArrayList<>();
    for (String stage : STAGES) {
      all.add(stage(stage));
    }
    return all;
  }

  private Stage stage(String name) throws InterruptedException {
    URI uri = management.resolve("/actuator/metrics/fairlead.scheduler.cycle?tag=stage:" + name);
    try {
      String body =
          client
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      return new Stage(measured(body, "COUNT"), measured(body, "TOTAL_TIME"));
    } catch (IOException e) {
      throw new UncheckedIOException("the service's metrics cannot be read: " + e, e);
    }
  }

  private static double measured(String body, String statistic) {
    for (JsonNode measurement : JSON.readTree(body).path("measurements")) {
      if (measurement.path("statistic").asString("").equals(statistic)) {
        return measurement.path("value").asDouble(0);
      }
    }
    return 0;
  }

  /** Duration of each cycle, in the order of the samples. */
  List<Duration> seen() {
    synchronized (seen) {
      return List.copyOf(seen);
    }
  }

  /** Duration of each stage, with its end at most a sample later than the real one. */
  List<Pauses.Pause> stagesSeen() {
    synchronized (seen) {
      return List.copyOf(stages);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    client.shutdownNow();
  }
}
