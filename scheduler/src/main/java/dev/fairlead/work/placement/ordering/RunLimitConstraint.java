package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.job.submit.LimitScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Use of a queue by user, by project, or in total: running attempts, elements that this cycle
 * starts, and reservations.
 */
final class RunLimitConstraint implements Constraint {
  private final QuotaNode queue;
  private final Instant asOf;
  private final LimitScope scope;
  private final RunLimits limits;
  private final SortedMap<String, RunLimits.Use> uses = new TreeMap<>();
  private final SortedMap<String, Refused> refused = new TreeMap<>();

  /**
   * The last refusal for one subject, because many of its jobs may be refused for the same reason.
   */
  private record Refused(RunLimits.Use has, RunLimits.Demand more, Blocker blocker) {}

  private RunLimitConstraint(
      QuotaNode queue, QueueSettings settings, LimitScope scope, Instant asOf) {
    this.queue = queue;
    this.asOf = asOf;
    this.scope = scope;
    limits = scope.limits(settings);
  }

  /** Returns one count for each kind of limit that the queue has. */
  static List<RunLimitConstraint> of(QuotaNode queue, Instant asOf) {
    QueueSettings settings = queue.queue();
    return settings == null
        ? List.of()
        : LimitScope.limited(settings).stream()
            .map(scope -> new RunLimitConstraint(queue, settings, scope, asOf))
            .toList();
  }

  @Override
  public void takes(Job job, @Nullable EquivalenceClass as, QuotaNode at) {
    takes(job, null);
  }

  /**
   * @param since when its attempt started, null before that
   */
  void takes(Job job, @Nullable Instant since) {
    uses.put(scope.subject(job), of(job).and(Runtimes.demand(job, queue, since, asOf)));
  }

  private RunLimits.Use of(Job job) {
    return uses.getOrDefault(scope.subject(job), RunLimits.Use.NOTHING);
  }

  @Override
  public List<Supplier<Blocker>> refusals(Job job, @Nullable EquivalenceClass as, QuotaNode at) {
    RunLimits.Use has = of(job);
    RunLimits.Demand more = Runtimes.demand(job, queue, null, asOf);
    return limits.admit(has.and(more)) ? List.of() : List.of(() -> blocker(job, has, more));
  }

  private Blocker blocker(Job job, RunLimits.Use has, RunLimits.Demand more) {
    return refused
        .compute(
            scope.subject(job),
            (_, before) ->
                before != null && before.more().equals(more) && before.has().equals(has)
                    ? before
                    : new Refused(has, more, over(has, more, job.user())))
        .blocker();
  }

  /**
   * Explains that the job would exceed a limit of its scope.
   *
   * @param more the demand of the job
   */
  private Blocker over(RunLimits.Use has, RunLimits.Demand more, String user) {
    RunLimits.Use then = has.and(more);
    SortedMap<String, Long> numbers = new TreeMap<>();
    List<String> full = new ArrayList<>();
    Integer running = limits.running();
    Long gpus = limits.gpuMilli();
    Long minutes = limits.gpuMinutes();
    if (running != null && limits.overRunning(then)) {
      numbers.put("running", (long) has.running());
      numbers.put("runningLimit", (long) running);
      full.add("%s runs %d of %d jobs".formatted(subject(user), has.running(), running));
    }
    if (gpus != null && limits.overGpus(then)) {
      numbers.put("neededMilli", more.gpuMilli());
      numbers.put("usedMilli", has.gpuMilli());
      numbers.put("limitMilli", gpus);
      full.add(
          "%s uses %s of %s GPUs, and this job requests %s"
              .formatted(
                  subject(user),
                  Quantity.ofMilli(has.gpuMilli()),
                  Quantity.ofMilli(gpus),
                  Quantity.ofMilli(more.gpuMilli())));
    }
    boolean byRuntime = false;
    if (minutes != null && limits.overMinutes(then)) {
      byRuntime = true;
      full.add(minutes(minutes, has, more, user, numbers));
    }
    return new Blocker(
        scope == LimitScope.USER ? Reason.USER_LIMIT : Reason.QUEUE_LIMIT,
        new Scope(Scope.Kind.QUEUE, queue.name()),
        String.join("; ", full) + (scope == LimitScope.QUEUE ? "" : " in queue " + queue.name()),
        numbers,
        action(byRuntime, more, user));
  }

  private String subject(String user) {
    return switch (scope) {
      case USER -> user;
      case PROJECT -> "its project";
      case QUEUE -> "queue " + queue.name();
    };
  }

  private String jobs(String user) {
    return switch (scope) {
      case USER -> "jobs of " + user + " there";
      case PROJECT -> "jobs of its project there";
      case QUEUE -> "jobs of this queue";
    };
  }

  private String minutes(
      long limit,
      RunLimits.Use has,
      RunLimits.Demand more,
      String user,
      SortedMap<String, Long> numbers) {
    numbers.put("gpuMinutesLimit", limit);
    if (!has.endless()) {
      numbers.put("gpuMinutes", has.gpuMinutes());
    }
    if (!more.endless()) {
      numbers.put("gpuMinutesAsked", more.gpuMinutes());
    }
    return "jobs of %s may still use %s of %d GPU-minutes, and this job requests %s"
        .formatted(
            subject(user),
            has.endless() ? "any number, because one of them has no maxRuntime," : has.gpuMinutes(),
            limit,
            more.endless() ? "any number, because it has no maxRuntime," : more.gpuMinutes());
  }

  private String action(boolean byRuntime, RunLimits.Demand more, String user) {
    if (byRuntime && more.endless()) {
      return "submit it with a maxRuntime, or ask an administrator to set a defaultMaxRuntime"
          + " for the queue";
    }
    if (!limits.admitOne(more)) {
      return never() + ": request less, or ask an administrator to raise " + field();
    }
    return byRuntime
        ? "starts when " + jobs(user) + " end or have run for longer"
        : "starts when one of the " + jobs(user) + " ends";
  }

  private String never() {
    return switch (scope) {
      case USER -> "the limit of a user in this queue is lower";
      case PROJECT -> "the limit of a project in this queue is lower";
      case QUEUE -> "this queue never runs that much";
    };
  }

  private String field() {
    return switch (scope) {
      case USER -> "userLimits";
      case PROJECT -> "projectLimits";
      case QUEUE -> "queueLimits";
    };
  }
}
