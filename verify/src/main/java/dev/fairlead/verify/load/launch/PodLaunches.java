package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.FairleadApi;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** One-GPU jobs, submitted in batches of 500 by one client. */
final class PodLaunches {
  private static final String JOBS = "/projects/default/jobs";
  private static final int BATCH = 500;
  private static final String NOT_RUNNING_YET = "&state=QUEUED&state=ADMITTED&state=STARTING";
  private static final String NOT_ENDED = NOT_RUNNING_YET + "&state=RUNNING";

  private final FairleadApi api;
  private final Duration runFor;

  /**
   * @param runFor duration of a job, in whole seconds. Pods run at least this long, so that all run
   *     concurrently
   */
  PodLaunches(FairleadApi api, Duration runFor) {
    this.api = api;
    this.runFor = runFor;
  }

  /**
   * Time from the first submit until the last pod ran.
   *
   * @param count a multiple of 500
   * @throws IllegalStateException when they did not within the limit
   */
  Duration run(int count, Duration most) throws InterruptedException {
    Instant start = Instant.now();
    for (int from = 0; from < count; from += BATCH) {
      JsonNode answer = api.post(JOBS + "/batch", batch(from));
      for (JsonNode item : answer.path("items")) {
        if (!item.path("job").isObject()) {
          throw new IllegalStateException("a job of the batch was refused: " + item);
        }
      }
    }
    await(NOT_RUNNING_YET, most);
    Instant[] last = {start};
    api.each(
        JOBS + "?pageSize=500&view=BASIC",
        job -> {
          if (!job.path("startedAt").isString()) {
            throw new IllegalStateException("a job ended without having run: " + job);
          }
          Instant at = Instant.parse(job.path("startedAt").asString());
          last[0] = at.isAfter(last[0]) ? at : last[0];
        });
    return Duration.between(start, last[0]);
  }

  void awaitEnded(Duration most) throws InterruptedException {
    await(NOT_ENDED, most);
  }

  private void await(String states, Duration most) throws InterruptedException {
    Instant until = Instant.now().plus(most);
    while (!api.isEmpty(JOBS + "?pageSize=1" + states)) {
      if (Instant.now().isAfter(until)) {
        throw new IllegalStateException(
            "not all jobs got this far within " + most.toSeconds() + " s");
      }
      Thread.sleep(Duration.ofMillis(500));
    }
  }

  private ObjectNode batch(int from) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode items = body.putArray("items");
    for (int i = from; i < from + BATCH; i++) {
      ObjectNode job = items.addObject();
      job.put("name", "launch-" + i)
          .put("image", "registry.example.com/verify/launch:1")
          .put("gpu", 1);
      job.putObject("annotations").put("sim.fairlead.dev/run-for", runFor.toSeconds() + "s");
    }
    return body;
  }
}
