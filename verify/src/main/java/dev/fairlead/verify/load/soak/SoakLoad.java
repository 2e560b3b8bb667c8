package dev.fairlead.verify.load.soak;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Batches;
import dev.fairlead.verify.load.soak.SoakPlan.Deed;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends the requests of {@link SoakPlan} through REST until it is closed, without waiting for
 * responses.
 */
final class SoakLoad implements AutoCloseable {
  private static final int NODES = 50;
  private static final int SMALL_NODES = 2;
  private static final int GPUS = 8;
  private static final Duration BEFORE_CANCEL = Duration.ofSeconds(3);

  private final FairleadApi api;
  private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger names = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicReference<@Nullable String> firstRefusal = new AtomicReference<>();
  private final Thread thread;

  private SoakLoad(FairleadApi api) {
    this.api = api;
    this.thread = Thread.ofPlatform().daemon().name("soak-load").unstarted(this::run);
  }

  /** Registers two clusters, and a queue whose jobs may evict each other, and begins. */
  static SoakLoad start(FairleadApi api) throws InterruptedException {
    BenchFleet.register(api, "large", NODES, GPUS);
    BenchFleet.register(api, "small", SMALL_NODES, GPUS);
    ObjectNode queue = object().put("name", "tight");
    queue.putObject("preemption").put("withinQueue", "LOWER_PRIORITY");
    queue.putObject("queue").put("order", "BEST_EFFORT_FIFO").put("state", "ACTIVE");
    api.post("/quotas", queue);
    SoakLoad load = new SoakLoad(api);
    load.thread.start();
    return load;
  }

  private void run() {
    long began = System.nanoTime();
    try {
      for (long second = 0; true; second++) {
        long due = began + second * 1_000_000_000L;
        Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
        SoakPlan.second(second).forEach(deed -> clients.execute(() -> send(deed)));
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(Deed deed) {
    try {
      act(deed);
    } catch (ApiRefusal | UncheckedIOException | IllegalStateException e) {
      refused.incrementAndGet();
      firstRefusal.compareAndSet(null, deed + ": " + e.getMessage());
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void act(Deed deed) throws InterruptedException {
    switch (deed) {
      case Deed.Single single -> api.post(Batches.JOBS, job("1s"));
      case Deed.Batch(int jobs) -> batch(jobs);
      case Deed.Array(int elements) ->
          api.post(
              Batches.JOBS, job("1s").put("array", "0-" + (elements - 1) + "%" + elements / 2));
      case Deed.Failing failing -> {
        ObjectNode job = job("1s");
        job.withObject("/annotations")
            .put("sim.fairlead.dev/outcome", "fail")
            .put("sim.fairlead.dev/exit-code", "3");
        api.post(Batches.JOBS, job);
      }
      case Deed.CancelledRunning running -> cancelLater(job("1h"));
      case Deed.CancelledWaiting waiting ->
          cancelLater(job("1s").put("notBefore", "2099-01-01T00:00:00Z"));
      case Deed.Humble humble -> api.post(Batches.JOBS, tight("low", "8s"));
      case Deed.Urgent urgent -> api.post(Batches.JOBS, tight("high", "3s"));
    }
  }

  private void batch(int jobs) {
    List<ObjectNode> batch = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      batch.add(job("2s"));
    }
    Batches.submit(api, batch);
  }

  private void cancelLater(ObjectNode job) throws InterruptedException {
    String id = api.post(Batches.JOBS, job).path("id").asString("");
    Thread.sleep(BEFORE_CANCEL);
    api.post("/jobs/" + id + "/cancel");
  }

  private ObjectNode job(String runFor) {
    ObjectNode job =
        object()
            .put("name", "soak-" + names.incrementAndGet())
            .put("image", "registry.example.com/verify/soak:1")
            .put("gpu", 1);
    job.putObject("placement").putArray("clusters").add("large");
    job.putObject("preemption").put("gracePeriod", "1s");
    job.putObject("annotations").put("sim.fairlead.dev/run-for", runFor);
    return job;
  }

  /** A job that uses a whole node of the small cluster. */
  private ObjectNode tight(String priorityClass, String runFor) {
    ObjectNode job = job(runFor).put("gpu", GPUS).put("queue", "tight");
    job.put("priorityClass", priorityClass);
    job.putObject("placement").putArray("clusters").add("small");
    return job;
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Number of refused requests, with the first reason. */
  String refusals() {
    String first = firstRefusal.get();
    return refused.get() + " requests refused" + (first == null ? "" : ", the first: " + first);
  }

  boolean sound() {
    return refused.get() == 0;
  }

  @Override
  public void close() {
    thread.interrupt();
    clients.shutdownNow();
  }
}
