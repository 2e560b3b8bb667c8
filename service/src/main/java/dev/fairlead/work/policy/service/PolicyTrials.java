package dev.fairlead.work.policy.service;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyExpressions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Checks the newest jobs against a policy that may not be stored. */
@Service
public class PolicyTrials {
  private static final int PAGE = 500;

  /** Time limit of a trial, which holds a request and a connection. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final Transactions transactions;
  private final JobStore jobs;
  private final TenantStore tenants;
  private final PolicyExpressions expressions;
  private final InstantSource clock;

  public PolicyTrials(
      Transactions transactions,
      JobStore jobs,
      TenantStore tenants,
      PolicyExpressions expressions,
      InstantSource clock) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.tenants = tenants;
    this.expressions = expressions;
    this.clock = clock;
  }

  /**
   * Checks the {@value Policy#MOST_TRIED} newest jobs of the project, or of the tenant.
   *
   * @param policy a checked policy
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public PolicyView.Trial run(Actor actor, Policy policy) {
    Permissions.require(actor, "tryPolicy");
    Instant until = clock.instant().plus(LONGEST);
    SortedMap<ProjectId, String> names = new TreeMap<>();
    List<Job> newest =
        transactions.read(() -> {
          tenants.projects(actor.tenant()).forEach(each -> names.put(each.id(), each.name()));
          return newest(actor, policy.project());
        });
    List<PolicyView.RefusedJob> refused = new ArrayList<>();
    int judged = 0;
    for (Job job : newest) {
      if (clock.instant().isAfter(until)) {
        break;
      }
      judged++;
      String project = names.getOrDefault(job.project(), "");
      List<String> violations =
          policy.violations(job.spec(), Policy.facts(project, job.user(), job.spec()), expressions);
      if (!violations.isEmpty()) {
        refused.add(
            new PolicyView.RefusedJob(
                job.id().text(), job.name(), project, job.user(), job.createdAt(), violations));
      }
    }
    return new PolicyView.Trial(judged, judged < newest.size(), refused);
  }

  private List<Job> newest(Actor actor, @Nullable String project) {
    List<ProjectId> of = project == null ? null : List.of(tenants.project(actor, project).id());
    List<Job> found = new ArrayList<>();
    JobFilter.Cursor after = null;
    do {
      int limit = Math.min(PAGE, Policy.MOST_TRIED - found.size());
      JobSlice page = jobs.list(JobFilter.newest(actor.tenant(), of, after, limit));
      found.addAll(page.jobs());
      after = page.next();
    } while (after != null && found.size() < Policy.MOST_TRIED);
    return found;
  }
}
