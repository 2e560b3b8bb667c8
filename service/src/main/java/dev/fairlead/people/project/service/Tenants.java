package dev.fairlead.people.project.service;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeBuilder;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectBuilder;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Creates, reads, changes and archives tenants. Except for {@code all} and {@code create}, it acts
 * on the actor's current tenant.
 */
@Service
public class Tenants {
  private static final long USUAL_WEIGHT = 1_000;
  private static final PreemptionRules NO_PREEMPTION =
      new PreemptionRules(PreemptionRules.WithinQueue.NEVER, PreemptionRules.Reclaim.NEVER, false);
  private final Transactions transactions;
  private final TenantStore tenants;
  private final QuotaStore quotas;
  private final VolumeStore volumes;
  private final LegalHoldStore holds;
  private final LeaseStore leases;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;

  public Tenants(
      Transactions transactions,
      TenantStore tenants,
      QuotaStore quotas,
      VolumeStore volumes,
      LegalHoldStore holds,
      LeaseStore leases,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.quotas = quotas;
    this.volumes = volumes;
    this.holds = holds;
    this.leases = leases;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
  }

  /** Lists tenants by name: all for roles of the platform, else the current one. */
  public List<Tenant> all(Actor actor) {
    Permissions.require(actor, "listTenants");
    boolean platform = actor.roles().stream().anyMatch(r -> r.scope() == Role.Scope.PLATFORM);
    return platform ? transactions.read(tenants::tenants) : List.of(current(actor));
  }

  /** The actor's current tenant. */
  public Tenant current(Actor actor) {
    return transactions.read(() ->
        tenants
            .tenant(actor.tenant())
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.NOT_FOUND, "There is no tenant " + actor.tenant().text() + ".")));
  }

  /**
   * Creates a tenant with its quota tree, the queue {@code default} and the project {@code
   * default}.
   *
   * @throws Refusal FORBIDDEN, NAME_IN_USE, IDEMPOTENCY_*
   */
  public Tenant create(
      Actor actor,
      String name,
      String displayName,
      @Nullable RequestKey key,
      boolean validateOnly) {
    Permissions.require(actor, "createTenant");
    RequestKey effective = validateOnly ? null : key;
    try {
      return transactions.call(() -> {
        Optional<Tenant> earlier =
            idempotency.earlier(actor, "createTenant", effective).flatMap(tenants::tenantNamed);
        if (earlier.isPresent()) {
          return earlier.get();
        }
        Tenant tenant =
            new Tenant(new TenantId(ids.next()), name, displayName, Tenant.State.ACTIVE, 1);
        if (tenants.tenantNamed(name).isPresent()) {
          throw taken(name);
        }
        if (!validateOnly) {
          insert(actor, tenant);
          idempotency.remember(actor, "createTenant", effective, name);
          audit(actor, "createTenant", null, tenant);
        }
        return tenant;
      });
    } catch (Conflict raced) {
      throw taken(name);
    }
  }

  private void insert(Actor actor, Tenant tenant) {
    QuotaNode root = node(tenant, "root", null, null);
    QuotaNode queue = node(tenant, Tenant.FIRST, root, QueueSettings.DEFAULT);
    tenants.insert(tenant);
    quotas.insert(root);
    quotas.insert(queue);
    ProjectId project = new ProjectId(ids.next());
    String namespace =
        Project.newNamespace(leases.installation().id(), tenant.name(), Tenant.FIRST, project);
    Project first =
        ProjectBuilder.builder()
            .id(project)
            .tenant(tenant.id())
            .name(Tenant.FIRST)
            .namespace(namespace)
            .defaultQueue(queue.id().value())
            .egress(Egress.OPEN)
            .idle(null)
            .costCentre(null)
            .version(1)
            .build();
    tenants.insert(first);
    Actor there = actor.in(tenant.id());
    audit.append(
        List.of(
            AuditRecord.change(there, "createTenant", null, root, of -> of.id().text())
                .kept(ConfigKind.QUEUE, root.name(), null, root),
            AuditRecord.change(there, "createTenant", null, queue, of -> of.id().text())
                .kept(ConfigKind.QUEUE, queue.name(), null, queue),
            AuditRecord.change(there, "createTenant", null, first, of -> of.id().text())
                .kept(ConfigKind.PROJECT, first.name(), null, first)));
  }

  private QuotaNode node(
      Tenant tenant, String name, @Nullable QuotaNode parent, @Nullable QueueSettings settings) {
    return QuotaNodeBuilder.builder()
        .id(new QuotaNodeId(ids.next()))
        .tenant(tenant.id())
        .name(name)
        .parent(parent == null ? null : parent.id())
        .depth(parent == null ? 0 : 1)
        .weight(USUAL_WEIGHT)
        .limits(List.of())
        .preemption(NO_PREEMPTION)
        .queue(settings)
        .share(SharePolicy.DOMINANT_SHARE)
        .usageHalfLife(null)
        .version(1)
        .build();
  }

  /**
   * @param displayName null for no change
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, VERSION_MISMATCH
   */
  public Tenant update(
      Actor actor, @Nullable String displayName, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "updateTenant");
    return change(
        actor,
        "updateTenant",
        expected,
        validateOnly,
        old ->
            displayName == null || displayName.equals(old.displayName())
                ? old
                : old.renamed(displayName));
  }

  /**
   * Archives the tenant: its jobs are cancelled, and it accepts no new work. A repeated call has no
   * effect.
   *
   * @param expected version that the caller has read, null for any
   * @throws Refusal FORBIDDEN, VERSION_MISMATCH, ILLEGAL_STATE for the first tenant, which is the
   *     default tenant of administrators, IN_USE while it has volumes with data or legal holds
   */
  public Tenant archive(Actor actor, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, "archiveTenant");
    return change(
        actor,
        "archiveTenant",
        expected,
        validateOnly,
        old -> {
          if (old.name().equals(Tenant.FIRST)) {
            throw new Refusal(
                ProblemCode.ILLEGAL_STATE,
                "The tenant \"default\" cannot be archived: administrators without a selected tenant work in it.");
          }
          withoutClaims(old);
          withoutHolds(old);
          return old.state() == Tenant.State.ACTIVE ? old.in(Tenant.State.ARCHIVING) : old;
        });
  }

  /**
   * Refuses while it has volumes with data, because its namespaces are deleted with their claims.
   */
  private void withoutClaims(Tenant tenant) {
    List<String> there = volumes.withClaim(tenant.id()).stream().map(Volume::name).toList();
    if (tenant.state() == Tenant.State.ACTIVE && !there.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Tenant \"%s\" has volumes with data on clusters: %s. Delete them first, with --forget."
              .formatted(tenant.name(), String.join(", ", there)));
    }
  }

  private void withoutHolds(Tenant tenant) {
    if (tenant.state() == Tenant.State.ACTIVE) {
      holds.inForce(tenant.id()).stream()
          .findFirst()
          .ifPresent(hold -> {
            throw hold.refusal("Tenant \"" + tenant.name() + "\"");
          });
    }
  }

  private interface Change {
    Tenant of(Tenant old);
  }

  private Tenant change(
      Actor actor, String operation, @Nullable Long expected, boolean validateOnly, Change change) {
    try {
      return transactions.call(() -> {
        Tenant old = current(actor);
        if (expected != null && expected != old.version()) {
          throw changed(old.name());
        }
        Tenant next = change.of(old);
        if (!validateOnly && !next.equals(old)) {
          tenants.update(next);
          audit(actor, operation, old, next);
        }
        return next;
      });
    } catch (Conflict raced) {
      throw changed(raced.subject());
    }
  }

  private void audit(Actor actor, String operation, @Nullable Tenant before, Tenant after) {
    audit.append(
        AuditRecord.change(actor, operation, before, after, of -> of.id().text())
            .kept(ConfigKind.TENANT, after.name(), before, after));
  }

  private static Refusal changed(String name) {
    return Refusal.changed("Tenant \"" + name + "\"");
  }

  private static Refusal taken(String name) {
    return new Refusal(ProblemCode.NAME_IN_USE, "A tenant is named \"" + name + "\" already.");
  }
}
