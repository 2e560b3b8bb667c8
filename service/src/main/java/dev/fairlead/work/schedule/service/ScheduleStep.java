package dev.fairlead.work.schedule.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.Schedule.Overlap;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleRun.Outcome;
import dev.fairlead.work.schedule.ScheduleState;
import dev.fairlead.work.schedule.ScheduleStore;
import dev.fairlead.work.spec.JobSpec;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Decides one instant of a schedule. The transaction that submits its job stores the run and the
 * progress, so that a crash or a second holder neither loses an instant nor repeats it.
 */
@Component
class ScheduleStep {
  private static final Logger LOG = LoggerFactory.getLogger(ScheduleStep.class);

  /** Runs of a schedule with jobs that can still be active. */
  private static final int OVERLAPPING = 20;

  private static final int TRIES = 10;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
  private static final int FORGET_EVERY = 100;

  private final ScheduleStore store;
  private final ConfigStore documents;
  private final TenantStore tenants;
  private final ScheduleOwners owners;
  private final JobReader bodies;
  private final JobStore jobs;
  private final JobSubmits submits;
  private final Transactions transactions;
  private final MeterRegistry metrics;

  ScheduleStep(
      ScheduleStore store,
      ConfigStore documents,
      TenantStore tenants,
      ScheduleOwners owners,
      JobReader bodies,
      JobStore jobs,
      JobSubmits submits,
      Transactions transactions,
      MeterRegistry metrics) {
    this.store = store;
    this.documents = documents;
    this.tenants = tenants;
    this.owners = owners;
    this.bodies = bodies;
    this.jobs = jobs;
    this.submits = submits;
    this.transactions = transactions;
    this.metrics = metrics;
    for (Outcome each : Outcome.values()) {
      var _ = runs(each); // a scrape shows the series before the first decision
    }
  }

  /** State shared by the parts of one step. */
  private record Step(
      HeldLease lease,
      ConfigDocument<Schedule> document,
      ScheduleTimes times,
      ScheduleState seen,
      Instant now) {
    Schedule schedule() {
      return document.value();
    }

    /** The state with the next instant and the time when it is due. */
    ScheduleState planned(ScheduleState state) {
      return times.planned(state, now);
    }

    ScheduleRun without(Instant instant, Outcome why, String detail) {
      return schedule().without(seen, instant, now, why, detail);
    }
  }

  /**
   * Decides the next instant of a due schedule, or all instants that are missed. A failure is
   * retried later, so that it does not delay other schedules.
   *
   * @param seen as {@link ScheduleStore#due} returned it
   * @return whether the schedule has another due instant
   */
  boolean run(HeldLease lease, ScheduleState seen, Instant now) {
    Step step = null;
    try {
      step = step(lease, seen, now);
      return step != null && decided(step);
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (RuntimeException failed) {
      return retried(lease, seen, now, step, failed);
    }
  }

  private @Nullable Step step(HeldLease lease, ScheduleState seen, Instant now) {
    return documents
        .find(Schedule.DOCUMENTS, seen.tenant(), seen.document())
        .map(found -> new Step(lease, found, ScheduleTimes.of(found.value().timing()), seen, now))
        .orElse(null);
  }

  private boolean decided(Step step) {
    ScheduleTurn turn =
        ScheduleTurn.of(
            step.schedule(),
            step.times(),
            step.seen().decided(),
            step.now().minus(step.times().delay(step.seen().document())));
    Instant missed = turn.missedUntil();
    Instant due = turn.due();
    if (missed != null) {
      return decided(
          step,
          missed,
          () -> step.without(missed, Outcome.MISSED, passed(step.seen())).of(turn.missed()));
    }
    return due == null
        ? changed(step.lease(), step.seen(), step.now(), step::planned)
        : submitted(step, due);
  }

  private static String passed(ScheduleState seen) {
    return seen.failures() == 0
        ? "it passed"
        : "it passed after %d failed tries".formatted(seen.failures());
  }

  private boolean submitted(Step step, Instant due) {
    try {
      Project project = project(step);
      Actor reader = transactions.call(() -> owner(step, project));
      JobSubmits.Prepared job =
          submits.prepared(reader, project.name(), spec(step, project, reader, due));
      return decided(
          step,
          due,
          () -> {
            Actor owner = owner(step, project);
            String running = overlapped(step, owner);
            return running == null
                ? step.schedule().submitted(step.seen(), due, step.now(), job.submit())
                : step.without(due, Outcome.OVERLAPPED, running);
          });
    } catch (Refusal refused) {
      if (refused.code() == ProblemCode.UNAVAILABLE) {
        throw refused;
      }
      String why = refused.code() + ": " + refused.getMessage();
      return decided(step, due, () -> step.without(due, Outcome.REFUSED, why));
    }
  }

  private Project project(Step step) {
    ProjectId id = step.document().project();
    return Optional.ofNullable(id)
        .flatMap(known -> tenants.project(step.seen().tenant(), known))
        .orElseThrow(() -> new Refusal(ProblemCode.NOT_FOUND, "The project does not exist."));
  }

  private Actor owner(Step step, Project project) {
    return owners.of(step.schedule(), step.seen().tenant(), project);
  }

  private JobSpec spec(Step step, Project project, Actor reader, Instant due) {
    JobSpec spec = bodies.read(reader, project.name(), step.schedule().job());
    return spec.named(step.schedule().jobName(due), spec.queue())
        .labelled(step.schedule().labels(spec.labels(), due));
  }

  /**
   * Cancels earlier jobs that are to be replaced.
   *
   * @return the reason why the instant is skipped, or null
   */
  private @Nullable String overlapped(Step step, Actor owner) {
    if (step.schedule().overlap() == Overlap.ALLOW) {
      return null;
    }
    TenantId tenant = step.seen().tenant();
    List<Job> active =
        jobs.lock(store.jobs(tenant, step.seen().id(), OVERLAPPING)).stream()
            .filter(job -> !job.run().ended())
            .toList();
    if (step.schedule().overlap() == Overlap.SKIP && !active.isEmpty()) {
      return "job %s is %s".formatted(active.getFirst().id().text(), active.getFirst().state());
    }
    active.stream()
        .filter(job -> job.state() != JobState.CANCELLING)
        .forEach(job -> submits.cancel(owner, job.id()));
    return null;
  }

  /** Stores a run with the progress, in the transaction of the work that returns it. */
  private boolean decided(Step step, Instant until, Supplier<ScheduleRun> work) {
    AtomicReference<Outcome> outcome = new AtomicReference<>();
    boolean more =
        changed(
            step.lease(),
            step.seen(),
            step.now(),
            state -> {
              ScheduleRun run = work.get();
              store.insert(run);
              outcome.set(run.outcome());
              ScheduleState next = state.decided(until);
              if (next.decisions() % FORGET_EVERY == 0) {
                store.forget(state.tenant(), state.id(), ScheduleRun.HISTORY);
              }
              return step.planned(next);
            });
    Outcome counted = outcome.get();
    if (counted != null) {
      runs(counted).increment();
    }
    return more;
  }

  private Counter runs(Outcome outcome) {
    String label = outcome.name().toLowerCase(Locale.ROOT);
    return metrics.counter(Metric.SCHEDULE_RUNS.meter(), Metric.SCHEDULE_RUNS.tags(label));
  }

  /** The next state of a schedule. */
  private interface Change {
    ScheduleState of(ScheduleState state);
  }

  /** Stores the next state, unless the owner or another holder changed the schedule. */
  private boolean changed(HeldLease lease, ScheduleState seen, Instant now, Change change) {
    return transactions.callFenced(
        lease,
        () -> {
          ScheduleState state = store.locked(seen.tenant(), seen.document()).orElse(null);
          if (state == null || !seen.equals(state)) {
            return false;
          }
          ScheduleState next = change.of(state);
          store.update(next);
          Instant at = next.nextAt();
          return at != null && !at.isAfter(now);
        });
  }

  /** Waits 1 second to 5 minutes. The last of several failures decides the instant. */
  private boolean retried(
      HeldLease lease,
      ScheduleState seen,
      Instant now,
      @Nullable Step step,
      RuntimeException failed) {
    int failures = seen.failures() + 1;
    Instant due = seen.nextInstant();
    LOG.warn("schedule={} instant={} try={}", seen.document(), due, failures, failed);
    if (failures >= TRIES && step != null && due != null) {
      String why = "it failed %d times: %s".formatted(failures, failed.getMessage());
      return decided(step, due, () -> step.without(due, Outcome.FAILED, why));
    }
    long seconds = Math.min(LONGEST_WAIT.toSeconds(), 1L << Math.min(failures - 1, TRIES));
    return changed(lease, seen, now, state -> state.failed(now.plusSeconds(seconds)));
  }
}
