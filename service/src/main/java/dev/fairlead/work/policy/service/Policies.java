package dev.fairlead.work.policy.service;

import dev.fairlead.kernel.config.ConfigChanges;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.policy.Policy;
import dev.fairlead.work.policy.PolicyExpressions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Stores, shows and removes the policies of a tenant and of its projects. */
@Service
public class Policies implements ConfigDocumentRevert<Policy> {
  private final Transactions transactions;
  private final ConfigStore documents;
  private final ConfigChanges changes;
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
    this.documents = documents;
    this.changes = new ConfigChanges(documents, audit);
    this.tenants = tenants;
    this.expressions = expressions;
    this.book = book;
  }

  /**
   * By name. With a project, the policies of the project and of the tenant.
   *
   * @param project name, or null for policies of the tenant
   * @throws Refusal FORBIDDEN, NOT_FOUND (project)
   */
  public List<PolicyView> all(Actor actor, @Nullable String project) {
    Permissions.require(actor, "listPolicies");
    ProjectId of = project(actor, project);
    return documents.all(Policy.DOCUMENTS, actor.tenant()).stream()
        .filter(each -> each.project() == null || each.project().equals(of))
        .sorted(
            Comparator.comparing((ConfigDocument<Policy> each) -> each.value().name())
                .thenComparing(each -> each.project() == null))
        .map(PolicyView::of)
        .toList();
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
   * Adds a policy, or changes it. It applies to new jobs, on every replica within two seconds.
   *
   * @param expected version that the caller has read, or null for any version and a new policy
   * @throws Refusal FORBIDDEN, NOT_FOUND (project), INVALID_FIELD, VERSION_MISMATCH, LIMIT_EXCEEDED
   *     above {@link Policy#MOST} of a tenant
   */
  public PolicyView put(Actor actor, Policy wanted, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "putPolicy");
    check(wanted);
    AtomicReference<PolicyView> now = new AtomicReference<>();
    try {
      transactions.runOrTry(validateOnly, () -> now.set(stored(actor, wanted, expected)));
    } catch (Conflict raced) {
      throw changed(wanted.name());
    }
    book.forget(actor.tenant());
    return Objects.requireNonNull(now.get(), "the work was done");
  }

  private PolicyView stored(Actor actor, Policy wanted, @Nullable Long expected) {
    ProjectId of = project(actor, wanted.project());
    ConfigDocument<Policy> old = exact(actor, of, wanted.name()).orElse(null);
    if (expected != null && (old == null || old.version() != expected)) {
      throw changed(wanted.name());
    }
    if (old == null && documents.all(Policy.DOCUMENTS, actor.tenant()).size() >= Policy.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The tenant has %d policies, the maximum. Delete one first.".formatted(Policy.MOST));
    }
    String key = Policy.document(actor.tenant(), of, wanted.name());
    ConfigDocument<Policy> next =
        old == null
            ? new ConfigDocument<>(Policy.DOCUMENTS, key, actor.tenant(), of, wanted, 0)
            : old.with(wanted);
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("enforced", wanted.enforced());
    return PolicyView.of(changes.put(actor, "putPolicy", old, next, detail));
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
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            ConfigDocument<Policy> old = owned(actor, project, name);
            if (expected != null && old.version() != expected) {
              throw changed(name);
            }
            changes.remove(actor, "deletePolicy", old, new TreeMap<>());
          });
    } catch (Conflict raced) {
      throw changed(name);
    }
    book.forget(actor.tenant());
  }

  private ConfigDocument<Policy> owned(Actor actor, @Nullable String project, String name) {
    return exact(actor, project(actor, project), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no policy \"%s\" of %s. GET /api/v1/policies lists them."
                    .formatted(name, project == null ? "the tenant" : "project " + project)));
  }

  private Optional<ConfigDocument<Policy>> exact(
      Actor actor, @Nullable ProjectId project, String name) {
    return documents.find(
        Policy.DOCUMENTS, actor.tenant(), Policy.document(actor.tenant(), project, name));
  }

  private @Nullable ProjectId project(Actor actor, @Nullable String name) {
    return name == null
        ? null
        : tenants
            .projectNamed(actor.tenant(), name)
            .map(Project::id)
            .orElseThrow(
                () -> new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\"."));
  }

  private static Refusal changed(String name) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "Policy \"%s\" was changed since it was read. Read it again and repeat.".formatted(name));
  }

  @Override
  public ConfigType<Policy> type() {
    return Policy.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Policy>> stored(Actor actor, String name) {
    Permissions.require(actor, "getPolicy");
    return documents.find(Policy.DOCUMENTS, actor.tenant(), name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<Policy> document) {
    PolicyView _ = put(actor, document.value(), null, false);
  }
}
