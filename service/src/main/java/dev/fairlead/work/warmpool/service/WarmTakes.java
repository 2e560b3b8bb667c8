package dev.fairlead.work.warmpool.service;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.store.BudgetLedger;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.LimitScope;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Finds the member of a warm pool that a submit takes over. The row of its job is locked, so a
 * concurrent preemption, cancel or submit runs before or after the change of the owner and finds
 * the changed row.
 */
@Component
public class WarmTakes implements WarmMembers {
  private final ConfigStore documents;
  private final JobStore jobs;
  private final QuotaStore quotas;
  private final BudgetStore budgets;
  private final MeterRegistry metrics;

  public WarmTakes(
      ConfigStore documents,
      JobStore jobs,
      QuotaStore quotas,
      BudgetStore budgets,
      MeterRegistry metrics) {
    this.documents = documents;
    this.jobs = jobs;
    this.quotas = quotas;
    this.budgets = budgets;
    this.metrics = metrics;
    // a rate over a counter that appears with its first increment misses that increment
    List.of("taken", "missed").forEach(this::sessions);
  }

  @Override
  public Found take(Project project, Job wanted, Set<JobId> taken, boolean preview) {
    boolean session =
        Launchers.find(wanted.spec().launcher()).filter(Launcher::session).isPresent();
    if (!session || WarmMember.is(wanted.spec())) {
      return Found.NOTHING;
    }
    List<WarmPool> pools =
        documents.all(WarmPool.DOCUMENTS, project.tenant()).stream()
            .filter(each -> project.id().equals(each.project()) && !each.value().deleting())
            .map(ConfigDocument::value)
            .toList();
    if (pools.isEmpty()) {
      return Found.NOTHING;
    }
    Found found = found(wanted, pools, taken);
    if (!preview) {
      sessions(found.transition() == null ? "missed" : "taken").increment();
    }
    return found;
  }

  private Counter sessions(String result) {
    return metrics.counter(
        Metric.WARM_POOL_SESSIONS.meter(), Metric.WARM_POOL_SESSIONS.tags(result));
  }

  private Found found(Job wanted, List<WarmPool> pools, Set<JobId> taken) {
    List<Job> members = members(wanted, pools);
    List<String> fewest = null;
    for (Job seen : members) {
      List<String> differences = WarmMember.differences(seen.spec(), wanted.spec());
      if (fewest == null || differences.size() < fewest.size()) {
        fewest = differences;
      }
      if (!differences.isEmpty() || taken.contains(seen.id())) {
        continue;
      }
      Optional<String> counted = counted(wanted, seen);
      if (counted.isPresent()) {
        return new Found(null, counted.get());
      }
      Job member = jobs.lock(List.of(seen.id())).stream().findFirst().orElse(null);
      if (member != null && member.version() == seen.version()) {
        Attempt attempt = running(member);
        if (attempt != null) {
          return taken(member, attempt, wanted);
        }
      }
    }
    return new Found(null, missed(pools, fewest));
  }

  /** Running members, the longest waiting first. */
  private List<Job> members(Job wanted, List<WarmPool> pools) {
    List<String> names = pools.stream().flatMap(pool -> pool.memberNames().stream()).toList();
    List<Job> members = new ArrayList<>();
    jobs.activeNamed(wanted.tenant(), wanted.project(), names)
        .forEach(named -> jobs.find(wanted.tenant(), named.id()).ifPresent(members::add));
    members.removeIf(job -> !WarmMember.is(job.spec()) || job.state() != JobState.RUNNING);
    members.sort(Comparator.comparing((Job job) -> job.run().changedAt()).thenComparing(Job::id));
    return members;
  }

  /**
   * Limits, checks and budgets that count users or labels were applied to the member. A session
   * with other users or labels therefore needs a start of its own.
   */
  private Optional<String> counted(Job wanted, Job member) {
    QueueSettings queue =
        quotas.node(wanted.tenant(), wanted.queue()).map(QuotaNode::queue).orElse(null);
    if (queue != null && LimitScope.limited(queue).contains(LimitScope.USER)) {
      return Optional.of("queue " + wanted.spec().queue() + " limits the jobs of each user");
    }
    if (queue != null && !queue.checks().isEmpty()) {
      return Optional.of("queue " + wanted.spec().queue() + " has admission checks");
    }
    BudgetScope user = BudgetLedger.scope(wanted);
    BudgetScope pool = BudgetLedger.scope(member);
    return budgets.budgets(wanted.tenant()).stream()
        .map(each -> each.budget())
        .filter(budget -> budget.scope().covers(user) != budget.scope().covers(pool))
        .map(budget -> "budget " + budget.name() + " counts the session and not the warm pool")
        .findFirst();
  }

  private @Nullable Attempt running(Job member) {
    List<Attempt> live = jobs.liveAttempts(member.id());
    return live.size() == 1
            && live.getFirst().state() == AttemptState.RUNNING
            && live.getFirst().unreachableSince() == null
        ? live.getFirst()
        : null;
  }

  private Found taken(Job member, Attempt attempt, Job wanted) {
    return new Found(OwnerTransitions.take(member, attempt, wanted, jobs.now()), null);
  }

  private static String missed(List<WarmPool> pools, @Nullable List<String> differences) {
    String names = String.join(", ", pools.stream().map(WarmPool::name).sorted().toList());
    return differences == null || differences.isEmpty()
        ? "no member of " + names + " is free"
        : "members of %s differ in %s".formatted(names, String.join(", ", differences));
  }
}
