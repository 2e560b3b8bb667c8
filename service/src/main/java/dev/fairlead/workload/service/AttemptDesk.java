package dev.fairlead.workload.service;

import dev.fairlead.cluster.Capabilities;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptEvent;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.AttemptLifecycle;
import dev.fairlead.job.Failure;
import dev.fairlead.job.FailureCause;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobState;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.JobTransitions;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.StopCause;
import dev.fairlead.job.Transition;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.lease.Installation;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.workload.AttemptJudge;
import dev.fairlead.workload.LaunchOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads and writes attempts for a supervisor, under its fence. Whatever is decided is decided again
 * on the locked rows, so that a cancel or a second supervisor in between cannot be overwritten.
 */
@Component
public class AttemptDesk {
  private static final String ACTOR = "supervisor";
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final TenantStore tenants;
  private final LeaseStore leases;

  public AttemptDesk(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      TenantStore tenants,
      LeaseStore leases) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.tenants = tenants;
    this.leases = leases;
  }

  /** An attempt, its job and its element. */
  public record Case(Attempt attempt, Job job, @Nullable JobElement element) {
    /** State that the owner wants: of the element in an array, unless the whole job is to end. */
    public JobState wanted() {
      JobState whole = job.state();
      boolean ending = whole == JobState.CANCELLING || whole == JobState.SUSPENDED;
      return ending || element == null ? whole : element.run().state();
    }
  }

  /** The cases as stored now, without locks; attempts that are not there are left out. */
  public List<Case> read(Collection<AttemptId> ids) {
    return ids.isEmpty()
        ? List.of()
        : transactions.read(() -> cases(jobs.attempts(ids), List.of()));
  }

  /** Stores what the observation means. The judge is asked on the locked rows. */
  public Optional<AttemptJudge.Verdict> observe(
      HeldLease lease, Case seen, Function<Case, AttemptJudge.Scene> scene) {
    return change(
        lease,
        seen,
        (now, at) -> {
          AttemptJudge.Verdict verdict =
              AttemptJudge.judge(now.attempt(), now.job(), scene.apply(now));
          return verdict.changed() ? verdict : null;
        });
  }

  /**
   * Stores that creates are about to be sent; empty when the attempt is no longer to be launched.
   */
  public Optional<AttemptJudge.Verdict> launching(HeldLease lease, Case seen) {
    return change(lease, seen, (now, at) -> event(now.attempt(), new AttemptEvent.Launch(), at));
  }

  /** Stores that the cluster refuses the attempt for good. */
  public Optional<AttemptJudge.Verdict> refused(
      HeldLease lease, Case seen, FailureCause cause, String message) {
    return change(
        lease,
        seen,
        (now, at) -> {
          Failure failure = Failure.of(cause, message, now.attempt().number());
          Instant deadline = at.plus(now.job().spec().preemption().gracePeriod());
          return event(
              now.attempt(), new AttemptEvent.Stop(StopCause.MEMBER_FAILED, failure, deadline), at);
        });
  }

  /** Stores that nothing of the ended attempt is left on its cluster. */
  public void retired(HeldLease lease, Case seen) {
    transactions.runFenced(
        lease,
        () -> {
          for (Case now : locked(seen)) {
            if (!now.attempt().live() && now.attempt().retiredAt() == null) {
              writer.write(
                  List.of(JobTransitions.retire(now.job(), now.attempt(), jobs.now(), ACTOR)));
            }
          }
        });
  }

  /** Everything an adapter needs to launch the attempt. */
  public LaunchOrder order(HeldLease lease, Case seen, Capabilities capabilities) {
    Tenant tenant = tenants.tenant(seen.job().tenant()).orElseThrow();
    Installation installation = leases.installation();
    return new LaunchOrder(
        installation,
        lease.term(),
        tenant,
        project(seen),
        seen.job(),
        seen.attempt(),
        capabilities);
  }

  public Project project(Case seen) {
    return tenants.project(seen.job().tenant(), seen.job().project()).orElseThrow();
  }

  private Optional<AttemptJudge.Verdict> change(
      HeldLease lease,
      Case seen,
      BiFunction<Case, Instant, AttemptJudge.@Nullable Verdict> decide) {
    return transactions.callFenced(
        lease,
        () -> {
          Instant at = jobs.now();
          for (Case now : locked(seen)) {
            AttemptJudge.Verdict verdict = decide.apply(now, at);
            if (verdict != null) {
              Transition transition =
                  JobTransitions.observe(
                      now.job(),
                      now.element(),
                      verdict.attempt(),
                      verdict.event(),
                      verdict.facts(),
                      at,
                      ACTOR);
              writer.write(List.of(transition));
              return Optional.of(verdict);
            }
          }
          return Optional.empty();
        });
  }

  private static AttemptJudge.@Nullable Verdict event(
      Attempt attempt, AttemptEvent event, Instant at) {
    return AttemptLifecycle.apply(attempt, event, at)
        .map(moved -> new AttemptJudge.Verdict(moved, event, List.of(), null))
        .orElse(null);
  }

  /** The case with its job row locked first; at most one. */
  private List<Case> locked(Case seen) {
    List<Job> job = jobs.lock(List.of(seen.job().id()));
    return cases(jobs.attempts(List.of(seen.attempt().id())), job);
  }

  private List<Case> cases(List<Attempt> attempts, List<Job> known) {
    List<JobId> ids = attempts.stream().map(Attempt::job).distinct().toList();
    List<Job> rows = known.isEmpty() ? jobs.findAll(ids) : known;
    List<Case> cases = new ArrayList<>();
    for (Attempt attempt : attempts) {
      for (Job job : rows) {
        if (job.id().equals(attempt.job())) {
          JobElement element =
              job.array() == null ? null : jobs.element(job.id(), attempt.element()).orElse(null);
          cases.add(new Case(attempt, job, element));
        }
      }
    }
    return cases;
  }

  /** Attempts of the cluster that ask for an action. */
  public List<AttemptId> actionable(dev.fairlead.cluster.ClusterId cluster, int limit) {
    return jobs.actionable(cluster, limit).stream().map(Attempt::id).toList();
  }

  /** Attempts of the cluster that are not retired. */
  public List<AttemptId> unretired(dev.fairlead.cluster.ClusterId cluster) {
    return jobs.unretired(cluster).stream().map(Attempt::id).toList();
  }

  /** The database's time. */
  public Instant now() {
    return jobs.now();
  }
}
