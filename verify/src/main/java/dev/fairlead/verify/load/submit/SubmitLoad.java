package dev.fairlead.verify.load.submit;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Batches;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.Percentiles;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Submits to a fresh service with a fleet. The jobs start in the far future, so that only the
 * submit is measured and the scheduler skips them.
 */
final class SubmitLoad {
  private static final int BATCH = 500;
  private static final int BATCH_CLIENTS = 2;
  private static final int WARM_UP_BATCHES = 6;
  private static final int BATCHES = 20;
  private static final int SINGLE_CLIENTS = 16;
  private static final int WARM_UP_SINGLES = 20_000;
  private static final int SINGLES = 5_000;
  private static final int PIPELINES = 20;
  private static final int NAMED_PIPELINES = 5;
  private static final int STEPS_OF_REQUEST = 1_000;

  /** With a step before and a step behind: {@value #STEPS}. */
  private static final String FAN_OUT = "0-9997";

  static final int STEPS = 10_000;

  private final FairleadApi api;
  private final AtomicInteger names = new AtomicInteger();

  private SubmitLoad(FairleadApi api) {
    this.api = api;
  }

  static SubmitRun on(int nodes) throws IOException, InterruptedException {
    try (LocalFairlead fairlead = LocalFairlead.start("bench-submit", List.of())) {
      SubmitLoad load = new SubmitLoad(fairlead.api());
      BenchFleet.register(load.api, nodes);
      ProcessHandle service = ProcessHandle.of(fairlead.service().pid()).orElseThrow();
      return load.measure(nodes, service);
    }
  }

  private SubmitRun measure(int nodes, ProcessHandle service) throws InterruptedException {
    Clients.each(BATCH_CLIENTS, WARM_UP_BATCHES, this::batch);
    Spent batches = spent(service, () -> Clients.each(BATCH_CLIENTS, BATCHES, this::batch));
    Clients.each(SINGLE_CLIENTS, WARM_UP_SINGLES, this::single);
    Spent singles = spent(service, () -> Clients.each(SINGLE_CLIENTS, SINGLES, this::single));
    Spent pipelines = spent(service, () -> Clients.each(1, PIPELINES, this::pipeline));
    Spent named = spent(service, () -> Clients.each(1, NAMED_PIPELINES, this::named));
    Percentiles latency = new Percentiles(singles.latencies());
    int inBatches = BATCH * BATCHES;
    return new SubmitRun(
        nodes,
        inBatches / batches.seconds(),
        batches.cpuMillis() / inBatches,
        SINGLES / singles.seconds(),
        latency.at(50).toNanos() / 1e6,
        latency.at(99).toNanos() / 1e6,
        singles.cpuMillis() / SINGLES,
        new Percentiles(pipelines.latencies()).at(50).toNanos() / 1e6,
        new Percentiles(named.latencies()).at(50).toNanos() / 1e6);
  }

  private record Spent(double seconds, double cpuMillis, List<Duration> latencies) {}

  /** Work of a measurement. Returns the duration of each request. */
  private interface Work {
    List<Duration> run() throws InterruptedException;
  }

  private static Spent spent(ProcessHandle service, Work work) throws InterruptedException {
    Duration cpu = cpu(service);
    long start = System.nanoTime();
    List<Duration> latencies = work.run();
    double seconds = (System.nanoTime() - start) / 1e9;
    return new Spent(seconds, cpu(service).minus(cpu).toNanos() / 1e6, latencies);
  }

  private static Duration cpu(ProcessHandle service) {
    return service.info().totalCpuDuration().orElseThrow();
  }

  private void batch() {
    List<ObjectNode> jobs = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      jobs.add(job(JsonNodeFactory.instance.objectNode()));
    }
    Batches.submit(api, jobs);
  }

  /** Three jobs in one transaction: the middle one has an element for each entry of a list. */
  private void pipeline() {
    String name = "pipeline-" + names.incrementAndGet();
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("atomic", true);
    ArrayNode items = body.putArray("items");
    step(items.addObject(), name, "split");
    step(items.addObject(), name, "each")
        .put("array", FAN_OUT)
        .putArray("dependsOn")
        .add("split-" + name);
    step(items.addObject(), name, "gather").putArray("dependsOn").add("each-" + name);
    for (JsonNode item : api.post(Batches.JOBS + "/batch", body).path("items")) {
      if (!item.path("job").isObject()) {
        throw new IllegalStateException("a step of the pipeline was refused: " + item);
      }
    }
  }

  /** Separate jobs, which need a request for each thousand. */
  private void named() {
    String name = "named-" + names.incrementAndGet();
    for (int layer = 0; layer < STEPS / STEPS_OF_REQUEST; layer++) {
      List<ObjectNode> jobs = new ArrayList<>();
      for (int i = 0; i < STEPS_OF_REQUEST; i++) {
        ObjectNode job = step(JsonNodeFactory.instance.objectNode(), name, layer + "-" + i);
        if (layer > 0) {
          job.putArray("dependsOn").add((layer - 1) + "-" + i + "-" + name);
        }
        jobs.add(job);
      }
      Batches.submit(api, jobs);
    }
  }

  private ObjectNode step(ObjectNode job, String pipeline, String name) {
    job(job).put("name", name + "-" + pipeline).putObject("labels").put("pipeline", pipeline);
    return job;
  }

  private void single() {
    api.post(Batches.JOBS, job(JsonNodeFactory.instance.objectNode()));
  }

  private ObjectNode job(ObjectNode job) {
    return job.put("name", "bench-" + names.incrementAndGet())
        .put("image", "registry.example.com/verify/submit:1")
        .put("gpu", 1)
        .put("notBefore", "2099-01-01T00:00:00Z");
  }
}
