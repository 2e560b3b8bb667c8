package dev.fairlead.verify.load.queue;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Batches;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Jobs of one GPU whose work takes no time on a simulated cluster. */
public final class ShortJobs {
  private static final String NOT_ENDED =
      "?pageSize=1&state=QUEUED&state=ADMITTED&state=STARTING&state=RUNNING";

  private final FairleadApi api;
  private final AtomicInteger names = new AtomicInteger();

  public ShortJobs(FairleadApi api) {
    this.api = api;
  }

  void submit() {
    api.post(Batches.JOBS, job(JsonNodeFactory.instance.objectNode()));
  }

  /** Submits several jobs in one request. */
  public void submit(int jobs) {
    List<ObjectNode> batch = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      batch.add(job(JsonNodeFactory.instance.objectNode()));
    }
    Batches.submit(api, batch);
  }

  private ObjectNode job(ObjectNode job) {
    job.put("name", "life-" + names.incrementAndGet())
        .put("image", "registry.example.com/verify/noop:1")
        .put("gpu", 1);
    job.putObject("annotations")
        .put("sim.fairlead.dev/start-after", "0s")
        .put("sim.fairlead.dev/run-for", "0s");
    return job;
  }

  /** Returns whether all submitted jobs have ended. */
  public boolean done() {
    return api.isEmpty(Batches.JOBS + NOT_ENDED);
  }
}
