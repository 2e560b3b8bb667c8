package dev.fairlead.bench.queue;

import dev.fairlead.bench.Batches;
import dev.fairlead.bench.submit.BenchFleet;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fairlead with one simulated cluster, through REST: quota, placement, allocation of a GPU, events
 * and audit for each job, launched by the cluster's supervisor. All roles run in one process.
 */
final class FairleadQueue implements JobQueue {
  private static final String NOT_ENDED =
      "?pageSize=1&state=QUEUED&state=ADMITTED&state=STARTING&state=RUNNING";

  private final LocalFairlead fairlead;
  private final FairleadApi api;
  private final AtomicInteger names = new AtomicInteger();

  private FairleadQueue(LocalFairlead fairlead) {
    this.fairlead = fairlead;
    this.api = fairlead.api();
  }

  static FairleadQueue start(int nodes) throws InterruptedException {
    FairleadQueue queue =
        new FairleadQueue(
            LocalFairlead.start("bench-queue", List.of(), EmbeddedDatabase.durable()));
    BenchFleet.register(queue.api, nodes);
    return queue;
  }

  @Override
  public void submit() {
    api.post(Batches.JOBS, job(JsonNodeFactory.instance.objectNode()));
  }

  @Override
  public void submit(int jobs) {
    List<ObjectNode> batch = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      batch.add(job(JsonNodeFactory.instance.objectNode()));
    }
    Batches.submit(api, batch);
  }

  private ObjectNode job(ObjectNode job) {
    job.put("name", "life-" + names.incrementAndGet())
        .put("image", "registry.example.com/bench/noop:1")
        .put("gpu", 1);
    job.putObject("annotations")
        .put("sim.fairlead.dev/start-after", "0s")
        .put("sim.fairlead.dev/run-for", "0s");
    return job;
  }

  @Override
  public boolean done() {
    return api.get(Batches.JOBS + NOT_ENDED).path("items").isEmpty();
  }

  @Override
  public EmbeddedDatabase database() {
    return fairlead.database();
  }

  @Override
  public ProcessHandle process() {
    return ProcessHandle.of(fairlead.service().pid()).orElseThrow();
  }

  @Override
  public void close() {
    fairlead.close();
  }
}
