package dev.fairlead.verify.load.replay;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Report;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Submits the selected jobs at their compressed times and waits until all have ended. */
final class Replay {
  private static final String JOBS = "/projects/default/jobs";
  private static final String ACTIVE =
      "&state=QUEUED&state=ADMITTED&state=STARTING&state=RUNNING&state=SUSPENDED&state=CANCELLING";
  private static final int MOST_REQUESTS = 32;
  private static final Duration STANDSTILL = Duration.ofMinutes(5);
  private static final Duration REPORT = Duration.ofSeconds(10);
  private static final Duration SHORTEST = Duration.ofMillis(1);

  private final FairleadApi api;
  private final ReplayArguments arguments;
  private final Report report;
  private final String run = "r" + Instant.now().getEpochSecond();
  private final AtomicInteger submitted = new AtomicInteger();
  private final List<String> refused = Collections.synchronizedList(new ArrayList<>());

  Replay(FairleadApi api, ReplayArguments arguments, Report report) {
    this.api = api;
    this.arguments = arguments;
    this.report = report;
  }

  int submitted() {
    return submitted.get();
  }

  /** Responses of the API to refused jobs. */
  List<String> refused() {
    return List.copyOf(refused);
  }

  /** All jobs of this replay in their current API form. */
  List<JsonNode> jobs() {
    List<JsonNode> jobs = new ArrayList<>();
    api.each(path(""), jobs::add);
    return jobs;
  }

  void submit(List<TraceJob> jobs) throws InterruptedException {
    Instant start = Instant.now();
    Instant next = start.plus(REPORT);
    Semaphore requests = new Semaphore(MOST_REQUESTS);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < jobs.size(); i++) {
        TraceJob job = jobs.get(i);
        ObjectNode body = body(job, arguments.from() + i);
        sleepUntil(
            start.plus(compressed(Duration.between(jobs.getFirst().submitted(), job.submitted()))));
        requests.acquire();
        threads.execute(() -> submitOne(body, requests));
        if (Instant.now().isAfter(next)) {
          report.line(
              "  " + submitted + " of " + jobs.size() + " submitted, " + active() + " not ended");
          next = Instant.now().plus(REPORT);
        }
      }
    }
  }

  private void submitOne(ObjectNode body, Semaphore requests) {
    try {
      api.post(JOBS, body);
      submitted.incrementAndGet();
    } catch (ApiRefusal | UncheckedIOException e) {
      refused.add(body.path("name").asString("") + ": " + e.getMessage());
    } finally {
      requests.release();
    }
  }

  private ObjectNode body(TraceJob job, int number) {
    GangShape shape = GangShape.of(job.gpus());
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", run + "-" + number)
            .put("queue", ReplayQueues.nameOf(job.virtualCluster()))
            .put("image", "registry.example.com/replay/philly:1")
            .put("workers", shape.members())
            .put("gpu", shape.gpusEach());
    body.putObject("labels").put("replay", run);
    body.putObject("annotations").put("sim.fairlead.dev/run-for", DurationText.of(runFor(job)));
    return body;
  }

  private Duration runFor(TraceJob job) {
    Duration run = compressed(job.run());
    Duration capped = run.compareTo(arguments.maxRun()) > 0 ? arguments.maxRun() : run;
    return capped.compareTo(SHORTEST) < 0 ? SHORTEST : capped;
  }

  private Duration compressed(Duration traceTime) {
    return traceTime.dividedBy(arguments.speedup());
  }

  /** Returns false when nothing ended for five minutes. */
  boolean awaitAll() throws InterruptedException {
    int active = active();
    Instant changed = Instant.now();
    Instant next = changed.plus(REPORT);
    while (active > 0) {
      if (Instant.now().isAfter(changed.plus(STANDSTILL))) {
        return false;
      }
      Thread.sleep(Duration.ofSeconds(1));
      int now = active();
      if (now != active) {
        active = now;
        changed = Instant.now();
      }
      if (Instant.now().isAfter(next)) {
        report.line("  all submitted, " + active + " not ended");
        next = Instant.now().plus(REPORT);
      }
    }
    return true;
  }

  private int active() {
    AtomicInteger count = new AtomicInteger();
    api.each(path(ACTIVE), job -> count.incrementAndGet());
    return count.get();
  }

  private String path(String filter) {
    return JOBS + "?pageSize=500&label=replay%3D" + run + filter;
  }

  private static void sleepUntil(Instant at) throws InterruptedException {
    Duration left = Duration.between(Instant.now(), at);
    if (left.isPositive()) {
      Thread.sleep(left);
    }
  }
}
