package dev.fairlead.launcher;

import java.time.Duration;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Short jobs of one GPU on a simulated cluster, so that a class cache has the profiles of the
 * methods of a job's life, and not only of the start of the service.
 */
final class TrainingJobs {
  private static final String JOBS = "/projects/default/jobs";
  private static final String NOT_ENDED =
      "?pageSize=1&state=QUEUED&state=ADMITTED&state=STARTING&state=RUNNING";
  private static final int NODES = 32;
  private static final int GPUS = 8;
  private static final int BATCHES = 10;
  private static final int BATCH = 200;
  private static final int SINGLE = 500;

  private static final Duration MOST = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(200);

  private TrainingJobs() {}

  /**
   * Submits jobs in batches and one by one, reads them, and waits until all have ended.
   *
   * @throws StartFailed when they do not end within ten minutes
   */
  static void run(FairleadApi api) throws InterruptedException {
    ObjectNode cluster = object().put("name", "training").put("kind", "SIMULATED");
    cluster
        .putArray("fleet")
        .addObject()
        .put("nodes", NODES)
        .put("gpusPerNode", GPUS)
        .put("model", "H100");
    api.post("/clusters", cluster);
    for (int batch = 0; batch < BATCHES; batch++) {
      ObjectNode body = object();
      ArrayNode items = body.putArray("items");
      for (int n = 0; n < BATCH; n++) {
        items.add(job("batch-" + batch + "-" + n));
      }
      api.post(JOBS + "/batch", body);
      awaitEnd(api);
    }
    for (int n = 0; n < SINGLE; n++) {
      String id = api.post(JOBS, job("single-" + n)).path("id").asString();
      api.get("/jobs/" + id);
    }
    awaitEnd(api);
  }

  private static void awaitEnd(FairleadApi api) throws InterruptedException {
    long until = System.nanoTime() + MOST.toNanos();
    while (!api.isEmpty(JOBS + NOT_ENDED)) {
      if (System.nanoTime() > until) {
        throw new StartFailed("the training jobs did not end within " + MOST.toMinutes() + " min");
      }
      Thread.sleep(POLL);
    }
  }

  private static ObjectNode job(String name) {
    ObjectNode job =
        object().put("name", name).put("image", "registry.example.com/training:1").put("gpu", 1);
    job.putObject("annotations")
        .put("sim.fairlead.dev/start-after", "0s")
        .put("sim.fairlead.dev/run-for", "0s");
    return job;
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
