package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prevents a job with a failing plan from blocking others. The failing job is found by bisection of
 * the waiting jobs and excluded from the cycle. After {@value #TRIES} failures it is excluded, with
 * the cause as its explanation, until it changes or ten minutes have passed. The same applies to a
 * job if its start cannot be written.
 *
 * <p>Not thread-safe.
 */
final class PoisonJobs {
  static final int TRIES = 3;
  private static final Logger LOG = LoggerFactory.getLogger(PoisonJobs.class);
  private static final Duration LENGTH = Duration.ofMinutes(10);

  /** Maximum number of jobs of one cycle. More such jobs indicate another fault. */
  private static final int MOST_BLAMED = 8;

  private static final String UNPLANNED = "unplanned";
  private static final String SET_ASIDE = "set-aside/";
  private static final String PLANNING = "planning";
  private static final String WRITING = "start";

  private final Map<JobId, Trouble> troubles = new TreeMap<>();

  private record Trouble(long version, int failures, long sinceNanos, String what, String cause) {
    boolean setAside() {
      return failures >= TRIES;
    }
  }

  /**
   * Plans the snapshot without the jobs that fail to plan.
   *
   * @param nanos now, monotonic
   * @throws RuntimeException of the planner when no single job is to blame
   */
  Plan plan(World world, Function<World, Plan> planner, long nanos) {
    forget(world, nanos);
    World rest = world;
    for (JobId job : setAside()) {
      rest = without(rest, job);
    }
    for (int blamed = 0; ; blamed++) {
      try {
        return explained(world, planner.apply(rest));
      } catch (RuntimeException | Error failed) {
        FatalErrors.rethrow(failed);
        PendingJob culprit = blamed == MOST_BLAMED ? null : culprit(rest, planner);
        if (culprit == null) {
          throw failed;
        }
        blame(culprit.job().id(), culprit.job().version(), PLANNING, failed, nanos);
        rest = without(rest, culprit.job().id());
      }
    }
  }

  /** A plan without starts that explains all pending jobs while planning fails. */
  static Plan unplanned(World world, Throwable failed) {
    List<Decision> holds = new ArrayList<>();
    for (PendingJob pending : world.pending()) {
      holds.add(new Decision.Hold(pending.job().id(), pending.job().version(), UNPLANNED));
    }
    Blocker blocker =
        new Blocker(
            Reason.NOT_EVALUATED,
            new Blocker.Scope(Blocker.Scope.Kind.FLEET, ""),
            "no job is planned, because the scheduler fails at each attempt: " + failed,
            new TreeMap<>(),
            "report this. The scheduler retries every second");
    SortedMap<String, Explanation> explanations = new TreeMap<>();
    explanations.put(
        UNPLANNED, new Explanation(world.asOf(), List.of(blocker), List.of(), List.of(), null));
    return Plan.of(world.asOf(), holds, explanations, List.of());
  }

  /** Returns whether the class is that of a job set aside, which has its error in the text. */
  static boolean setsAside(String classKey) {
    return classKey.startsWith(SET_ASIDE);
  }

  /** Jobs that are set aside now. */
  List<JobId> setAside() {
    return troubles.entrySet().stream()
        .filter(entry -> entry.getValue().setAside())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Forgets jobs that changed, left, or last failed long ago. */
  private void forget(World world, long nanos) {
    if (troubles.isEmpty()) {
      return;
    }
    Map<JobId, Long> versions = new HashMap<>();
    world.pending().forEach(pending -> versions.put(pending.job().id(), pending.job().version()));
    troubles
        .entrySet()
        .removeIf(entry -> {
          Trouble trouble = entry.getValue();
          boolean same = versions.getOrDefault(entry.getKey(), -1L) == trouble.version();
          return !same || nanos - trouble.sinceNanos() >= LENGTH.toNanos();
        });
  }

  /**
   * Counts failed writes of starts and evictions by job, if another decision of the plan was
   * written.
   */
  void blame(Applied applied, long nanos) {
    if (applied.written() == 0) {
      return;
    }
    for (Applied.Failure failure : applied.failures()) {
      Decision decision = failure.decision();
      if (decision instanceof Decision.Place || decision instanceof Decision.Preempt) {
        blame(decision.job(), decision.jobVersion(), WRITING, failure.cause(), nanos);
      }
    }
  }

  private void blame(JobId job, long version, String what, Throwable failed, long nanos) {
    Trouble before = troubles.get(job);
    int failures = before == null ? 1 : before.failures() + 1;
    troubles.put(job, new Trouble(version, failures, nanos, what, failed.toString()));
    LOG.warn(
        "{} of job {} failed {} times{}",
        what,
        job.text(),
        failures,
        failures >= TRIES ? ": set aside" : "",
        failed);
  }

  /** A single job that fails alone, found by bisection, null if none does. */
  private static @Nullable PendingJob culprit(World world, Function<World, Plan> planner) {
    List<PendingJob> suspects = world.pending();
    while (suspects.size() > 1) {
      List<PendingJob> first = suspects.subList(0, suspects.size() / 2);
      List<PendingJob> second = suspects.subList(suspects.size() / 2, suspects.size());
      suspects = fails(world, first, planner) ? first : second;
    }
    return suspects.isEmpty() || !fails(world, suspects, planner) ? null : suspects.getFirst();
  }

  private static boolean fails(
      World world, List<PendingJob> pending, Function<World, Plan> planner) {
    try {
      Plan _ = planner.apply(world.with(pending));
      return false;
    } catch (RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      return true;
    }
  }

  private static World without(World world, JobId job) {
    return world.with(
        world.pending().stream().filter(pending -> !pending.job().id().equals(job)).toList());
  }

  private Plan explained(World world, Plan plan) {
    if (troubles.isEmpty()) {
      return plan;
    }
    List<Decision> decisions = new ArrayList<>(plan.decisions());
    SortedMap<String, Explanation> explanations = new TreeMap<>(plan.explanations());
    troubles.forEach((job, trouble) -> {
      String key = SET_ASIDE + job.bare();
      decisions.add(new Decision.Hold(job, trouble.version(), key));
      explanations.put(
          key,
          new Explanation(
              world.asOf(), List.of(blocker(job, trouble)), List.of(), List.of(), null));
    });
    return plan.with().decisions(decisions).explanations(explanations).build();
  }

  private static Blocker blocker(JobId job, Trouble trouble) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("failures", (long) trouble.failures());
    return new Blocker(
        Reason.MISCONFIGURED,
        new Blocker.Scope(Blocker.Scope.Kind.JOB, job.text()),
        "the "
            + trouble.what()
            + " of this job failed "
            + trouble.failures()
            + " times: "
            + trouble.cause(),
        numbers,
        "cancel it, submit it with a different spec, and report this");
  }
}
