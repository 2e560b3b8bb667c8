package dev.fairlead.verify.load.kueue;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Batches;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.load.kueue.Generator.Kind;
import dev.fairlead.verify.load.kueue.Generator.Workload;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A fresh Fairlead with one simulated cluster that has more cores than any quota: jobs wait only
 * for quota, as in Kueue's test, which has no nodes. Everything uses REST.
 */
final class Installation implements AutoCloseable {
  private static final int NODES = 100;
  private static final int MOST_IN_A_BATCH = 500;
  private static final int CLIENTS = 2;
  private static final int WARM_UP = 1_500;
  private static final Duration MOST = Duration.ofMinutes(15);
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final String NOT_ENDED =
      "?pageSize=1&view=BASIC&state=QUEUED&state=ADMITTED&state=STARTING&state=RUNNING";

  final LocalFairlead fairlead;
  private final FairleadApi api;

  private Installation(LocalFairlead fairlead) {
    this.fairlead = fairlead;
    this.api = fairlead.api();
  }

  /**
   * @param nominal quota of each queue, in units
   * @param warmUp whether jobs run before the measurement, because a fresh JVM compiles while it
   *     works
   */
  static Installation start(int nominal, boolean warmUp) throws InterruptedException {
    Installation installation =
        new Installation(LocalFairlead.start("bench-kueue", List.of(), EmbeddedDatabase.durable()));
    try {
      BenchFleet.register(installation.api, "load", NODES, 0);
      installation.queues(nominal);
      if (warmUp) {
        installation.flood("warm", WARM_UP);
        installation.awaitAll();
      }
      return installation;
    } catch (RuntimeException | InterruptedException failed) {
      installation.close();
      throw failed;
    }
  }

  /**
   * Creates queues. A cohort is a separate tree without fair sharing, like Kueue's cohorts by
   * default.
   */
  private void queues(int nominal) {
    for (int cohort = 0; cohort < Generator.COHORTS; cohort++) {
      String parent = "cohort-" + cohort;
      api.post("/quotas", object().put("name", parent).put("sharePolicy", "PRIORITY"));
      for (int number = 0; number < Generator.QUEUES; number++) {
        ObjectNode body = object().put("name", Generator.queue(cohort, number));
        body.put("parent", parent).put("sharePolicy", "PRIORITY");
        body.putArray("limits")
            .addObject()
            .put("flavor", "CPU/RESERVED")
            .put("resource", "cpu")
            .put("nominal", nominal)
            .put("borrowingLimit", Generator.BORROWING);
        body.putObject("preemption").put("withinQueue", "LOWER_PRIORITY").put("reclaim", "ANY");
        body.putObject("queue").put("order", "BEST_EFFORT_FIFO").put("state", "ACTIVE");
        api.post("/quotas", body);
      }
    }
  }

  /**
   * Submits each workload when it is due: due ones share one request, up to {@value
   * #MOST_IN_A_BATCH} jobs.
   *
   * @return the largest delay of the last request of a workload
   */
  Duration submit(List<Workload> workloads) throws InterruptedException {
    long began = System.nanoTime();
    Duration late = Duration.ZERO;
    for (int next = 0; next < workloads.size(); ) {
      Duration now = Duration.ofNanos(System.nanoTime() - began);
      Duration due = workloads.get(next).due();
      if (due.compareTo(now) > 0) {
        Thread.sleep(due.minus(now));
        continue;
      }
      late = late.compareTo(now.minus(due)) > 0 ? late : now.minus(due);
      List<ObjectNode> batch = new ArrayList<>();
      while (next < workloads.size()
          && batch.size() < MOST_IN_A_BATCH
          && workloads.get(next).due().compareTo(now) <= 0) {
        batch.add(job(workloads.get(next++)));
      }
      Batches.submit(api, batch);
    }
    return late;
  }

  /** Submits jobs of one unit as fast as they are accepted, to the queues in turn. */
  void flood(String label, int jobs) throws InterruptedException {
    AtomicInteger numbers = new AtomicInteger();
    int batches = Math.ceilDiv(jobs, MOST_IN_A_BATCH);
    Clients.each(
        CLIENTS,
        batches,
        () -> {
          List<ObjectNode> batch = new ArrayList<>();
          for (int i = 0; i < MOST_IN_A_BATCH; i++) {
            int number = numbers.getAndIncrement();
            if (number < jobs) {
              int queue = number % (Generator.COHORTS * Generator.QUEUES);
              String name = Generator.queue(queue / Generator.QUEUES, queue % Generator.QUEUES);
              batch.add(job(new Workload(label + "-" + number, name, Kind.SMALL, Duration.ZERO)));
            }
          }
          if (!batch.isEmpty()) {
            Batches.submit(api, batch);
          }
        });
  }

  private static ObjectNode job(Workload workload) {
    ObjectNode job =
        object()
            .put("name", workload.name())
            .put("queue", workload.queue())
            .put("image", "registry.example.com/verify/kueue:1")
            .put("cpu", Integer.toString(workload.kind().units))
            .put("memory", "1Gi")
            .put("priorityClass", workload.kind().priorityClass);
    job.putObject("preemption").put("allowed", true).put("gracePeriod", "0s");
    job.putObject("annotations")
        .put("sim.fairlead.dev/start-after", "0s")
        .put("sim.fairlead.dev/run-for", DurationText.of(workload.kind().runs));
    return job;
  }

  /**
   * @throws IllegalStateException when jobs have not ended after 15 minutes
   */
  void awaitAll() throws InterruptedException {
    long until = System.nanoTime() + MOST.toNanos();
    while (!api.isEmpty(Batches.JOBS + NOT_ENDED)) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("not all jobs ended within " + MOST.toMinutes() + " min");
      }
      Thread.sleep(LOOK);
    }
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  @Override
  public void close() {
    fairlead.close();
  }
}
