package dev.fairlead.work.policy.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.TenantDocuments;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyExpressions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Stores, shows and removes the policies of a tenant and of its projects. */
@Service
public class Policies implements ConfigDocumentRevert<Policy> {
  private static final TenantDocuments.Kind<Policy> KIND =
      new TenantDocuments.Kind<>(Policy.DOCUMENTS, Policy::name, "Policy", "policies", Policy.MOST);

  private final Transactions transactions;
  private final TenantDocuments<Policy> policies;
  private final TenantStore tenants;
  private final PolicyExpressions expressions;
  private final PolicyBook book;

  public Policies(
      Transactions transactions,
      ConfigStore documents,
      TenantStore tenants,
      AuditLog audit,
      PolicyExpressions expressions,
      PolicyBook book) {
    this.transactions = transactions;
    this.policies = new TenantDocuments<>(KIND, transactions, documents, audit);
    this.tenants = tenants;
    this.expressions = expressions;
    this.book = book;
  }

  /**
   * By name. If a project is given, lists the policies of the project and of the tenant.
   *
   * @param project name, or null for policies of the tenant
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<PolicyView> all(Actor actor, @Nullable String project) {
    Permissions.require(actor, "listPolicies");
    ProjectId of = tenants.projectId(actor, project);
    return policies.visible(actor, of).stream().map(PolicyView::of).toList();
  }

  /**
   * A policy of exactly that owner.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public PolicyView one(Actor actor, @Nullable String project, String name) {
    Permissions.require(actor, "getPolicy");
    return transactions.read(() -> PolicyView.of(owned(actor, project, name)));
  }

  /**
   * Refuses a policy with expressions that cannot be evaluated.
   *
   * @throws Refusal INVALID_FIELD with the pointer of each such expression
   */
  public void check(Policy policy) {
    List<FieldProblem> problems = new ArrayList<>();
    for (int i = 0; i < policy.rules().size(); i++) {
      String at = "/rules/" + i + "/expression";
      expressions
          .problem(policy.rules().get(i).expression())
          .ifPresent(
              why -> problems.add(new FieldProblem(at, ProblemCode.INVALID_FIELD, why, null)));
    }
    if (!problems.isEmpty()) {
      FieldProblem first = problems.getFirst();
      throw new Refusal(
          ProblemCode.INVALID_FIELD, first.pointer() + ": " + first.detail(), problems);
    }
  }

  /**
   * Adds a policy, or changes it. The policy applies to new jobs, on every replica within two
   * seconds.
   *
   * @param expected version that the caller has read, or null for any version and a new policy
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), INVALID_FIELD, VERSION_MISMATCH, LIMIT_EXCEEDED
   *     above {@link Policy#MOST} of a tenant
   */
  public PolicyView put(Actor actor, Policy wanted, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "putPolicy");
    check(wanted);
    ConfigDocument<Policy> now =
        policies.change(wanted.name(), validateOnly, () -> stored(actor, wanted, expected));
    book.forget(actor.tenant());
    return PolicyView.of(now);
  }

  private ConfigDocument<Policy> stored(Actor actor, Policy wanted, @Nullable Long expected) {
    ProjectId of = tenants.projectId(actor, wanted.project());
    String key = Policy.document(actor.tenant(), of, wanted.name());
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("enforced", wanted.enforced());
    return policies.put(
        actor,
        "putPolicy",
        new ConfigDocument<>(Policy.DOCUMENTS, key, actor.tenant(), of, wanted, 0),
        expected,
        detail);
  }

  /**
   * Deletes a policy of exactly that owner.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(
      Actor actor,
      @Nullable String project,
      String name,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, "deletePolicy");
    ConfigDocument<Policy> _ =
        policies.change(
            name,
            validateOnly,
            () ->
                policies.remove(
                    actor, "deletePolicy", owned(actor, project, name), expected, new TreeMap<>()));
    book.forget(actor.tenant());
  }

  private ConfigDocument<Policy> owned(Actor actor, @Nullable String project, String name) {
    String key = Policy.document(actor.tenant(), tenants.projectId(actor, project), name);
    return policies
        .find(actor, key)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Policy \"%s\" of %s does not exist. GET /api/v1/policies lists them."
                    .formatted(name, project == null ? "the tenant" : "project " + project)));
  }

  @Override
  public ConfigType<Policy> type() {
    return Policy.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Policy>> stored(Actor actor, String name) {
    Permissions.require(actor, "getPolicy");
    return policies.find(actor, name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<Policy> document) {
    PolicyView _ = put(actor, document.value(), document.version(), false);
  }
}
