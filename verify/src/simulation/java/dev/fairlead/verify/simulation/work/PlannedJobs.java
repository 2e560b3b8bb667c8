package dev.fairlead.verify.simulation.work;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The expected outcome in a run without faults, drawn only from the seed and the number of the job,
 * so that every run of the seed expects the same. Outcomes do not depend on timing: each job has
 * only one way to end by itself, however often it is preempted or observed late.
 */
public final class PlannedJobs {
  private static final List<String> OUTCOMES = List.of("fail", "oom", "image-error", "node-reboot");
  private static final List<PriorityClass> PRIORITIES =
      List.of(PriorityClass.LOW, PriorityClass.NORMAL, PriorityClass.HIGH);
  private static final List<OnUnreachable> UNREACHABLE = List.of(OnUnreachable.values());

  /** The capacity of a node. */
  private static final int NODE_CPU_MILLI = 128_000;

  /** Longer than any run of a seed, in seconds. */
  private static final int FOR_EVER = 1_000_000;

  private final RandomGenerator chance;
  private final Specs spec;

  private PlannedJobs(RandomGenerator chance, Specs spec) {
    this.chance = chance;
    this.spec = spec;
  }

  /**
   * @param preempting whether jobs evict each other by priority
   */
  public static List<PlannedJob> of(long seed, boolean preempting) {
    SplittableRandom root = new SplittableRandom(seed);
    int count = 3 + root.nextInt(6);
    return IntStream.range(0, count)
        .mapToObj(i -> planned(root.split(), "job-" + i, preempting))
        .toList();
  }

  private static PlannedJob planned(RandomGenerator chance, String name, boolean preempting) {
    Duration at = Duration.ofMillis(chance.nextInt(120_000));
    Specs spec = Specs.job(name);
    if (preempting) {
      spec.priority(PRIORITIES.get(chance.nextInt(PRIORITIES.size())));
    }
    new PlannedJobs(chance, spec).draw();
    return new PlannedJob(at, spec.build());
  }

  private void draw() {
    spec.onUnreachable(UNREACHABLE.get(chance.nextInt(UNREACHABLE.size())));
    int shape = chance.nextInt(10);
    boolean fixed = false;
    if (shape < 3) {
      spec.workers(2 + chance.nextInt(3));
      fixed = !chance.nextBoolean();
      if (!fixed) {
        spec.minWorkers(1);
      }
    } else if (shape < 5) {
      spec.array("0-" + (1 + chance.nextInt(3)) + (chance.nextBoolean() ? "%2" : ""));
    }
    int gpu = chance.nextInt(10);
    if (gpu < 7) {
      spec.gpus(1 + chance.nextInt(gpu < 5 ? 2 : 8));
    }
    if (gpu == 7) {
      spec.gpu(GpuRequest.fraction(250 * (1 + chance.nextInt(3))));
    }
    if (chance.nextInt(4) == 0) {
      put("start-after", List.of(5, 30).get(chance.nextInt(2)));
    }
    if (chance.nextInt(4) == 0) {
      put("stop-after", List.of(5, 25).get(chance.nextInt(2)));
    }
    switch (chance.nextInt(4)) {
      case 0 -> fails();
      case 1 -> timed();
      default -> {
        put("run-for", List.of(1, 5, 20, 60).get(chance.nextInt(4)));
        if (fixed) {
          spec.annotation("sim.fairlead.dev/members", "worker-1");
          spec.annotation(JobClients.FINISH_AFTER, "1s");
        }
      }
    }
  }

  private void fails() {
    put("run-for", List.of(1, 5, 20).get(chance.nextInt(3)));
    String outcome = OUTCOMES.get(chance.nextInt(OUTCOMES.size()));
    spec.annotation("sim.fairlead.dev/outcome", outcome);
    if (outcome.equals("node-reboot")) {
      /* a job on the same node loses a retry, and timing decides which job */
      spec.cpuMilli(NODE_CPU_MILLI);
    }
    if (chance.nextBoolean()) {
      spec.retry(
          1 + chance.nextInt(3),
          FailureCause.USER_ERROR,
          FailureCause.OUT_OF_MEMORY,
          FailureCause.IMAGE_PULL);
    }
    if (chance.nextBoolean()) {
      spec.annotation("sim.fairlead.dev/attempts", "1");
      /* the attempt that should fail could be preempted first, and the next one would succeed */
      spec.priority(PriorityClass.HIGH);
    }
  }

  /** Runs forever and is stopped, or ends long before. */
  private void timed() {
    boolean endless = chance.nextBoolean();
    put("run-for", endless ? FOR_EVER : 20);
    spec.maxRuntime(Duration.ofSeconds(endless ? 5 + chance.nextInt(55) : FOR_EVER));
  }

  private void put(String name, int seconds) {
    spec.annotation("sim.fairlead.dev/" + name, seconds + "s");
  }
}
