package dev.fairlead.verify.load.scale;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Batches;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fills a fleet through REST: jobs that run in one queue, jobs that wait for quota in twenty
 * others, each behind a job with the whole quota of its queue, and then jobs that start and end.
 */
final class ScaleWorld {
  /** The largest limit of active jobs of a tenant. */
  private static final int ACTIVE_JOBS = 1_000_000;

  private static final int WAITING_QUEUES = 20;
  private static final int GPUS = 8;
  private static final int BATCH = 500;
  private static final int CLIENTS = 2;

  private final FairleadApi api;
  private final Size size;
  private final AtomicReference<@Nullable RuntimeException> failed = new AtomicReference<>();
  private int came;

  ScaleWorld(FairleadApi api, Size size) {
    this.api = api;
    this.size = size;
  }

  /** Creates the fleet, its queues, and sufficient limits. */
  void prepare() throws InterruptedException {
    ObjectNode limits = object().put("activeJobs", ACTIVE_JOBS);
    api.patch("/tenants/default/limits", limits);
    api.patch("/projects/default/limits", limits);
    BenchFleet.register(api, "load", size.nodes(), GPUS);
    queue("live", size.nodes() * GPUS);
    for (int i = 0; i < WAITING_QUEUES; i++) {
      queue("waiting-" + i, GPUS);
      ObjectNode holder = job("holder-" + i, "waiting-" + i, Duration.ofDays(2));
      api.post(Batches.JOBS, holder.put("gpu", GPUS));
    }
  }

  private void queue(String name, int gpus) {
    ObjectNode body = object().put("name", name);
    body.putArray("limits")
        .addObject()
        .put("flavor", "H100/RESERVED")
        .put("resource", "gpu")
        .put("nominal", gpus);
    body.putObject("queue").put("order", "BEST_EFFORT_FIFO").put("state", "ACTIVE");
    api.post("/quotas", body);
  }

  /** Submits the running jobs, then the waiting ones. */
  void fill() throws InterruptedException {
    submit(size.running(), n -> job("run-" + n, "live", size.firstRun(n)));
    submit(
        size.queued(),
        n ->
            job("wait-" + n, "waiting-" + n % WAITING_QUEUES, Size.STAY)
                .put("gpu", 1 + n % GPUS)
                .put("priorityClass", n % 3 == 0 ? "low" : "normal"));
  }

  private void submit(int jobs, IntFunction<ObjectNode> job) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    Clients.each(
        CLIENTS,
        Math.ceilDiv(jobs, BATCH),
        () -> {
          int from = next.getAndAdd(BATCH);
          Batches.submit(api, jobs(from, Math.min(from + BATCH, jobs), job));
        });
  }

  private static List<ObjectNode> jobs(int from, int to, IntFunction<ObjectNode> job) {
    List<ObjectNode> jobs = new ArrayList<>();
    for (int n = from; n < to; n++) {
      jobs.add(job.apply(n));
    }
    return jobs;
  }

  /**
   * Submits jobs for that time, in one request each second. Each request is sent in its second,
   * regardless of earlier ones.
   *
   * @throws IllegalStateException when a request failed
   */
  void comeAndGo(Duration time) throws InterruptedException {
    long began = System.nanoTime();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int second = 0; second < time.toSeconds(); second++) {
        int from = came;
        came += size.perSecond();
        clients.execute(() -> come(from));
        long next = began + (second + 1) * 1_000_000_000L;
        Thread.sleep(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
      }
    }
    RuntimeException first = failed.get();
    if (first != null) {
      throw new IllegalStateException("jobs could not come: " + first.getMessage(), first);
    }
  }

  private void come(int from) {
    try {
      Batches.submit(
          api, jobs(from, from + size.perSecond(), n -> job("come-" + n, "live", Size.STAY)));
    } catch (RuntimeException e) {
      failed.compareAndSet(null, e);
    }
  }

  private static ObjectNode job(String name, String queue, Duration runs) {
    ObjectNode job =
        object()
            .put("name", name)
            .put("queue", queue)
            .put("image", "registry.example.com/verify/scale:1")
            .put("gpu", 1);
    job.putObject("annotations")
        .put("sim.fairlead.dev/start-after", "0s")
        .put("sim.fairlead.dev/run-for", DurationText.of(runs));
    return job;
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
