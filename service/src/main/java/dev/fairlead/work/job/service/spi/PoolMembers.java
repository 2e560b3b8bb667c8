package dev.fairlead.work.job.service.spi;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Jobs that are members of pools: submits and cancels them. */
public final class PoolMembers {
  /** Delay of the next member after a member ended by itself, for example without its image. */
  public static final Duration AGAIN = Duration.ofMinutes(5);

  private final JobStore jobs;
  private final JobWriter writer;
  private final JobSubmits submits;
  private final Transactions transactions;
  private final Predicate<JobSpec> member;

  /**
   * @param member whether a job with the name of a member is one
   */
  public PoolMembers(
      JobStore jobs,
      JobWriter writer,
      JobSubmits submits,
      Transactions transactions,
      Predicate<JobSpec> member) {
    this.jobs = jobs;
    this.writer = writer;
    this.submits = submits;
    this.transactions = transactions;
    this.member = member;
  }

  public Map<String, JobId> active(TenantId tenant, Project project, List<String> names) {
    Map<String, JobId> active = new TreeMap<>();
    jobs.activeNamed(tenant, project.id(), names)
        .forEach(named -> active.put(named.name(), named.id()));
    return active;
  }

  /** The members among these jobs, by name. */
  public Map<String, Job> of(Map<String, JobId> active) {
    Map<String, Job> members = new TreeMap<>();
    List<Job> found =
        active.isEmpty()
            ? List.of()
            : transactions.readForAllTenants(() -> jobs.findAll(active.values()));
    for (Job job : found) {
      if (member.test(job.spec())) {
        members.put(job.name(), job);
      }
    }
    return members;
  }

  /** Returns whether the member has a different spec or queue than wanted, or is suspended. */
  public static boolean outdated(Job member, JobSpec wanted, Project project) {
    boolean byDefault = wanted.queue().isEmpty();
    String queue = byDefault ? member.spec().queue() : wanted.queue();
    return member.state() == JobState.SUSPENDED
        || byDefault && !member.queue().value().equals(project.defaultQueue())
        || !member.spec().equals(wanted.named(member.name(), queue));
  }

  /** Cancels members. A job that has left its pool continues. */
  public void cancel(HeldLease lease, Collection<Job> wrong) {
    if (!wrong.isEmpty()) {
      Set<JobId> ids = new TreeSet<>();
      wrong.forEach(job -> ids.add(job.id()));
      transactions.runFenced(lease, () -> cancelled(ids));
    }
  }

  private void cancelled(Set<JobId> wrong) {
    Instant now = jobs.now();
    for (Job job : jobs.lock(wrong)) {
      if (member.test(job.spec()) && job.state() != JobState.CANCELLING) {
        boolean live = !jobs.liveAttempts(job.id()).isEmpty();
        JobTransitions.cancel(job, live, now, OwnActor.WARM_POOLS.text())
            .ifPresent(transition -> writer.write(List.of(transition)));
      }
    }
  }

  /** Submits a member, unless its predecessor has just ended by itself. */
  public void submit(HeldLease lease, Actor actor, Project project, JobSpec spec) {
    if (endedJustNow(jobs, project, spec.name()).isPresent()) {
      return;
    }
    JobSubmits.Prepared prepared = submits.prepared(actor, project.name(), spec);
    transactions.runFenced(
        lease,
        () -> {
          JobId _ = prepared.submit();
        });
  }

  /** The last member of this name, if it ended by itself so recently that no other follows yet. */
  public static Optional<Job> endedJustNow(JobStore jobs, Project project, String name) {
    Instant from = jobs.now().minus(AGAIN);
    return jobs.named(project.tenant(), project.id(), List.of(name)).stream()
        .flatMap(named -> jobs.find(project.tenant(), named.id()).stream())
        .filter(ended -> endedAfter(ended, from))
        .findFirst();
  }

  private static boolean endedAfter(Job job, Instant from) {
    Instant ended = job.run().endedAt();
    return ended != null && ended.isAfter(from) && job.state() != JobState.CANCELLED;
  }
}
