package dev.fairlead.verify.faults.chaos;

import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ObjectNode;

/** Kinds of submitted jobs, with the ends that are allowed under any fault. */
enum JobKind {
  /** One member that runs for a moment. */
  SHORT("SUCCEEDED", 30),
  /** Several members that start together. */
  GANG("SUCCEEDED", 6),
  /** Ends with exit code 1, which is not retried. */
  FAILS("FAILED", 4),
  /** Its owner cancels it, possibly too late. */
  CANCELLED("CANCELLED|SUCCEEDED", 10),
  /** Fits no node until its owner cancels it: work only for the database and the scheduler. */
  WAITS("CANCELLED", 50);

  /** Use of jobs in this queue that are not preemptible is counted separately. */
  static final String LIMITED_QUEUE = "limited";

  private static final int ATTEMPTS = 20;
  private final String ends;
  private final int percent;

  JobKind(String ends, int percent) {
    this.ends = ends;
    this.percent = percent;
  }

  /** Time until its owner cancels it. A waiting job is cancelled soon, so that clients continue. */
  int mostMillisUntilCancelled() {
    return this == WAITS ? 300 : 2_000;
  }

  /** Returns whether the job's owner cancels it. */
  boolean cancelled() {
    return this == CANCELLED || this == WAITS;
  }

  boolean mayEnd(String state) {
    return state.matches(ends);
  }

  static JobKind draw(RandomGenerator random) {
    int drawn = random.nextInt(100);
    for (JobKind kind : values()) {
      drawn -= kind.percent;
      if (drawn < 0) {
        return kind;
      }
    }
    return SHORT;
  }

  /** The body of the request. Equal for equal number and draw. */
  void describe(ObjectNode body, RandomGenerator random) {
    body.put("image", "registry.example.com/chaos/job:1").put("gpu", 1).put("run", "work");
    body.putObject("retry").put("maxAttempts", ATTEMPTS);
    ObjectNode annotations = body.putObject("annotations");
    annotations.put("sim.fairlead.dev/start-after", "50ms");
    switch (this) {
      case SHORT -> {
        annotations.put("sim.fairlead.dev/run-for", seconds(random, 2));
        if (random.nextInt(3) == 0) {
          body.put("queue", LIMITED_QUEUE)
              .put("priorityClass", random.nextBoolean() ? "high" : "normal");
        }
      }
      case GANG -> {
        body.put("workers", 2 + random.nextInt(2));
        annotations.put("sim.fairlead.dev/run-for", seconds(random, 2));
      }
      case FAILS ->
          annotations
              .put("sim.fairlead.dev/run-for", seconds(random, 1))
              .put("sim.fairlead.dev/outcome", "fail");
      case CANCELLED -> annotations.put("sim.fairlead.dev/run-for", "60s");
      case WAITS -> body.put("gpu", "B200:8");
    }
  }

  private static String seconds(RandomGenerator random, int most) {
    return 1 + random.nextInt(most) + "s";
  }
}
