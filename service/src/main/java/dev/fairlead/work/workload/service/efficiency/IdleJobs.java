package dev.fairlead.work.workload.service.efficiency;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.efficiency.IdleStep;
import dev.fairlead.money.efficiency.SampledAttempt;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.IdleTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.spec.WarmMember;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Warns the owners of jobs that do not use their GPUs, and suspends such jobs. */
@Component
public class IdleJobs {
  private static final double MILLI = 1000;
  private static final double MILLIS_PER_HOUR = 3_600_000;

  private final JobStore jobs;
  private final JobWriter writer;
  private final EfficiencyStore store;

  public IdleJobs(JobStore jobs, JobWriter writer, EfficiencyStore store) {
    this.jobs = jobs;
    this.writer = writer;
    this.store = store;
  }

  /** An attempt with a due step, as sampled. */
  record Idle(Efficiency row, IdlePolicy policy, IdleStep step) {
    /** The result is empty when no step is due. */
    static Optional<Idle> of(SampledAttempt sampled, Efficiency row, Instant now) {
      IdlePolicy policy = sampled.policy();
      return Optional.ofNullable(policy)
          .map(rules -> new Idle(row, rules, IdleStep.of(row, rules, now)))
          .filter(idle -> idle.step() != IdleStep.NOTHING);
    }
  }

  /**
   * Executes the due step in the open transaction, unless the attempt no longer runs or the sample
   * is too old. Returns the executed step.
   */
  IdleStep act(Idle idle) {
    Instant now = store.now();
    Efficiency row = idle.row();
    IdleStep step = IdleStep.of(row, idle.policy(), now);
    Job job = jobs.lock(List.of(row.job())).stream().findFirst().orElse(null);
    Attempt attempt = job == null || WarmMember.is(job.spec()) ? null : running(row);
    if (job == null || attempt == null || now.isBefore(idleFrom(idle, attempt))) {
      return IdleStep.NOTHING;
    }
    return switch (step) {
      case NOTHING -> IdleStep.NOTHING;
      case WARN -> warned(job, attempt, idle, now);
      case RECLAIM -> reclaimed(job, attempt, idle, now);
    };
  }

  /** Earliest time of a step. A session from a warm pool is idle since its user has it. */
  private static Instant idleFrom(Idle idle, Attempt attempt) {
    return since(idle, attempt).plus(idle.policy().warnAfter());
  }

  private static Instant since(Idle idle, Attempt attempt) {
    Instant since = Objects.requireNonNull(idle.row().idleSince(), "a step needs an idle time");
    Instant started = attempt.startedAt();
    return started == null || started.isBefore(since) ? since : started;
  }

  private @Nullable Attempt running(Efficiency row) {
    return jobs.liveAttempts(row.job()).stream()
        .filter(attempt -> attempt.id().equals(row.attempt()))
        .filter(attempt -> attempt.state() == AttemptState.RUNNING)
        .findFirst()
        .orElse(null);
  }

  private IdleStep warned(Job job, Attempt attempt, Idle idle, Instant now) {
    Duration reclaim = idle.policy().reclaimAfter();
    String next =
        reclaim == null
            ? ". It holds its GPUs until it ends"
            : ". After %s the policy of its project suspends it"
                .formatted(DurationText.of(reclaim));
    writer.write(
        List.of(IdleTransitions.warned(job, attempt, text(idle, attempt) + next + exempt(idle))));
    store.write(List.of(idle.row().warned(new Efficiency.Warning(now, reclaim))));
    return IdleStep.WARN;
  }

  private IdleStep reclaimed(Job job, Attempt attempt, Idle idle, Instant now) {
    double gpus = attempt.members().stream().mapToLong(Member::gpuMilli).sum() / MILLI;
    Instant end = Deadline.stops(job.spec(), attempt.startedAt());
    Efficiency.Reclaimed back =
        new Efficiency.Reclaimed(
            now,
            hours(gpus, since(idle, attempt), now),
            end == null ? null : (Double) hours(gpus, now, end));
    String why =
        "suspended: %s, %s GPU-hours. Resume it when it needs them%s"
            .formatted(
                text(idle, attempt),
                String.format(Locale.ROOT, "%.2f", back.idleGpuHours()),
                exempt(idle));
    Optional<List<Transition>> chain = IdleTransitions.reclaimed(job, attempt, why, now);
    if (chain.isEmpty()) {
      return IdleStep.NOTHING;
    }
    writer.write(chain.get());
    store.write(List.of(idle.row().reclaimed(back)));
    return IdleStep.RECLAIM;
  }

  private static double hours(double gpus, Instant from, Instant to) {
    return gpus * Math.max(0, Duration.between(from, to).toMillis()) / MILLIS_PER_HOUR;
  }

  private static String text(Idle idle, Attempt attempt) {
    return "its GPU utilization has been below %d percent since %s"
        .formatted(idle.policy().below(), since(idle, attempt).truncatedTo(ChronoUnit.SECONDS));
  }

  private static String exempt(Idle idle) {
    if (idle.policy().exempt().isEmpty()) {
      return "";
    }
    List<String> labels =
        idle.policy().exempt().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .toList();
    return "; jobs labelled " + String.join(" or ", labels) + " are left alone";
  }
}
