package dev.fairlead.project.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.idempotency.OneEffect;
import dev.fairlead.idempotency.RequestKey;
import dev.fairlead.identity.IdSource;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaStore;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates and reads projects. */
@Service
public class Projects {
  private final Transactions transactions;
  private final TenantStore tenants;
  private final QuotaStore quotas;
  private final OneEffect oneEffect;
  private final AuditLog audit;
  private final IdSource ids;

  public Projects(
      Transactions transactions,
      TenantStore tenants,
      QuotaStore quotas,
      OneEffect oneEffect,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.quotas = quotas;
    this.oneEffect = oneEffect;
    this.audit = audit;
    this.ids = ids;
  }

  /** By name. */
  public List<Project> all(Actor actor) {
    return transactions.read(() -> tenants.projects(actor.tenant()));
  }

  /**
   * @throws Refusal NOT_FOUND
   */
  public Project named(Actor actor, String name) {
    return transactions.read(() ->
        tenants
            .projectNamed(actor.tenant(), name)
            .orElseThrow(
                () -> new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\".")));
  }

  /** Name of the project's default queue; its id when it is no longer there. */
  public String queueOf(Actor actor, Project project) {
    QuotaNodeId id = new QuotaNodeId(project.defaultQueue());
    return transactions.read(
        () -> quotas.node(actor.tenant(), id).map(QuotaNode::name).orElseGet(id::text));
  }

  /** Name of the actor's tenant. */
  public String tenantOf(Actor actor) {
    return transactions.read(
        () -> tenants.tenant(actor.tenant()).map(Tenant::name).orElseGet(actor.tenant()::text));
  }

  /**
   * @param queue name of the queue for jobs that name none
   * @throws Refusal FORBIDDEN, NAME_IN_USE, INVALID_FIELD (no such queue), IDEMPOTENCY_*
   */
  public Project create(
      Actor actor, String name, String queue, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.administer(actor, "create projects");
    RequestKey effective = validateOnly ? null : key;
    try {
      return transactions.call(() -> {
        Optional<Project> earlier =
            oneEffect
                .earlier(actor, "createProject", effective)
                .flatMap(made -> tenants.projectNamed(actor.tenant(), made));
        if (earlier.isPresent()) {
          return earlier.get();
        }
        QuotaNode node =
            quotas
                .nodeNamed(actor.tenant(), queue)
                .filter(QuotaNode::isQueue)
                .orElseThrow(() -> noQueue(queue));
        Project project =
            new Project(new ProjectId(ids.next()), actor.tenant(), name, node.id().value(), 1);
        tenants
            .projectNamed(actor.tenant(), name)
            .ifPresent(p -> {
              throw taken(name);
            });
        if (!validateOnly) {
          tenants.insert(project);
          oneEffect.remember(actor, "createProject", effective, name);
          audit.append(
              new AuditRecord(actor, "createProject", project.id().text(), true, new TreeMap<>()));
        }
        return project;
      });
    } catch (Conflict raced) {
      throw taken(name);
    }
  }

  private static Refusal taken(String name) {
    return new Refusal(ProblemCode.NAME_IN_USE, "A project is named \"" + name + "\" already.");
  }

  private static Refusal noQueue(String queue) {
    String detail = "There is no queue \"" + queue + "\".";
    return new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(new FieldProblem("/defaultQueue", ProblemCode.INVALID_FIELD, detail, null)));
  }
}
