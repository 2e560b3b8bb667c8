package dev.fairlead.bench.submit;

import dev.fairlead.bench.Batches;
import dev.fairlead.bench.Clients;
import dev.fairlead.bench.Percentiles;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Submits to a fresh service with a fleet. The jobs have a start in the far future, so that only
 * the submit is measured, while the scheduler finds them not due.
 */
final class SubmitLoad {
  private static final int BATCH = 500;
  private static final int BATCH_CLIENTS = 2;
  private static final int WARM_UP_BATCHES = 6;
  private static final int BATCHES = 20;
  private static final int SINGLE_CLIENTS = 16;
  private static final int WARM_UP_SINGLES = 20_000;
  private static final int SINGLES = 5_000;

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
    Percentiles latency = new Percentiles(singles.latencies());
    int inBatches = BATCH * BATCHES;
    return new SubmitRun(
        nodes,
        inBatches / batches.seconds(),
        batches.cpuMillis() / inBatches,
        SINGLES / singles.seconds(),
        latency.at(50).toNanos() / 1e6,
        latency.at(99).toNanos() / 1e6,
        singles.cpuMillis() / SINGLES);
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

  private void single() {
    api.post(Batches.JOBS, job(JsonNodeFactory.instance.objectNode()));
  }

  private ObjectNode job(ObjectNode job) {
    return job.put("name", "bench-" + names.incrementAndGet())
        .put("image", "registry.example.com/bench/submit:1")
        .put("gpu", 1)
        .put("notBefore", "2099-01-01T00:00:00Z");
  }
}
