package dev.fairlead.work.policy.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyExpressions;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Checks each new job against the enforced policies. Each replica reads the policies of a tenant
 * again after two seconds, so a change takes effect everywhere within two seconds.
 */
@Component
public class PolicyBook implements SubmitPolicies {
  private static final Duration FRESH = Duration.ofSeconds(2);

  private record Read(List<Policy> policies, Instant at) {}

  private final ConfigStore documents;
  private final PolicyExpressions expressions;
  private final InstantSource clock;
  private final Map<TenantId, Read> read = new ConcurrentHashMap<>();

  public PolicyBook(ConfigStore documents, PolicyExpressions expressions, InstantSource clock) {
    this.documents = documents;
    this.expressions = expressions;
    this.clock = clock;
  }

  @Override
  public void require(TenantId tenant, String user, Project project, JobSpec spec) {
    List<Policy> policies =
        policies(tenant).stream().filter(each -> each.covers(project.name())).toList();
    if (policies.isEmpty()) {
      return;
    }
    SortedMap<String, Object> job = Policy.facts(project.name(), user, spec);
    List<FieldProblem> problems = new ArrayList<>();
    for (Policy policy : policies) {
      for (String violation : policy.violations(spec, job, expressions)) {
        problems.add(
            new FieldProblem(
                "",
                ProblemCode.POLICY_VIOLATION,
                "%s Policy %s of %s. Ask %s."
                    .formatted(violation, policy.name(), scope(policy), policy.owner()),
                null));
      }
    }
    if (!problems.isEmpty()) {
      String more = problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)";
      throw new Refusal(
          ProblemCode.POLICY_VIOLATION, problems.getFirst().detail() + more, problems);
    }
  }

  private static String scope(Policy policy) {
    return policy.project() == null ? "the tenant" : "project " + policy.project();
  }

  private List<Policy> policies(TenantId tenant) {
    Instant now = clock.instant();
    Read known = read.get(tenant);
    if (known == null || now.isBefore(known.at()) || !now.isBefore(known.at().plus(FRESH))) {
      List<Policy> enforced =
          documents.all(Policy.DOCUMENTS, tenant).stream()
              .map(ConfigDocument::value)
              .filter(Policy::enforced)
              .toList();
      known = new Read(enforced, now);
      read.put(tenant, known);
    }
    return known.policies();
  }

  /** Reads the policies of the tenant again with its next job. */
  void forget(TenantId tenant) {
    Read _ = read.remove(tenant);
  }
}
