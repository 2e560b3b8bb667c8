package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ConfirmedLoss;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.front.FrontBreaker;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Maps namespaces of front clusters to projects. */
@Service
public class FrontCommands {
  private static final String CONFIRM = "confirmFrontLoss";
  private final Transactions transactions;
  private final FrontStore fronts;
  private final InventoryStore inventory;
  private final TenantStore tenants;
  private final AuditLog audit;
  private final InstantSource clock;

  public FrontCommands(
      Transactions transactions,
      FrontStore fronts,
      InventoryStore inventory,
      TenantStore tenants,
      AuditLog audit,
      InstantSource clock) {
    this.transactions = transactions;
    this.fronts = fronts;
    this.inventory = inventory;
    this.tenants = tenants;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * A namespace with Jobs that Fairlead runs.
   *
   * @param cluster name of the front cluster
   * @param tenant name of the project's tenant
   * @param project name of the project of its Jobs
   * @param jobs number of its active adopted Jobs
   * @param message reason why no Job is adopted, null if there is no known obstacle
   */
  @RecordBuilder
  @Schema(name = "FrontNamespaceResponse")
  public record View(
      String cluster,
      String namespace,
      String tenant,
      String project,
      int jobs,
      @Nullable String message,
      String mappedBy,
      Instant mappedAt) {}

  /**
   * Lists by name of cluster and namespace: all for roles of the platform, and for others the
   * namespaces of projects that the actor has a role in.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<View> all(Actor actor) {
    Permissions.require(actor, "listFrontNamespaces");
    List<View> all = new ArrayList<>();
    SortedMap<ClusterId, Map<String, Integer>> counts = new TreeMap<>();
    SortedMap<ClusterId, String> troubles = fronts.troubles();
    SortedMap<ClusterId, FrontBreaker> breakers = fronts.breakers();
    List<FrontNamespace> seen =
        fronts.namespaces().stream().filter(one -> sees(actor, one)).toList();
    for (FrontNamespace one : seen) {
      int jobs =
          counts.computeIfAbsent(one.cluster(), fronts::counts).getOrDefault(one.namespace(), 0);
      all.add(view(one, jobs, trouble(one.cluster(), troubles, breakers)));
    }
    return all.stream()
        .sorted(Comparator.comparing(View::cluster).thenComparing(View::namespace))
        .toList();
  }

  private static boolean sees(Actor actor, FrontNamespace one) {
    List<ProjectId> its = actor.projects();
    return actor.roles().stream().anyMatch(role -> role.scope() == Role.Scope.PLATFORM)
        || one.tenant().equals(actor.tenant()) && (its == null || its.contains(one.project()));
  }

  /** Tenants of the projects that a change of a mapping affects. */
  private static List<TenantId> tenants(
      @Nullable FrontNamespace before, @Nullable FrontNamespace after) {
    return Stream.of(before, after).filter(Objects::nonNull).map(FrontNamespace::tenant).toList();
  }

  /** An open circuit breaker stops all Jobs of the cluster, so it takes precedence. */
  private static @Nullable String trouble(
      ClusterId cluster,
      SortedMap<ClusterId, String> troubles,
      SortedMap<ClusterId, FrontBreaker> breakers) {
    FrontBreaker open = breakers.get(cluster);
    return open == null ? troubles.get(cluster) : open.text();
  }

  private View view(FrontNamespace one, int jobs, @Nullable String trouble) {
    Optional<Cluster> cluster = inventory.cluster(one.cluster());
    return FrontCommandsViewBuilder.builder()
        .cluster(cluster.map(Cluster::name).orElseGet(one.cluster()::text))
        .namespace(one.namespace())
        .tenant(tenants.tenant(one.tenant()).map(Tenant::name).orElseGet(one.tenant()::text))
        .project(
            tenants
                .project(one.tenant(), one.project())
                .map(Project::name)
                .orElseGet(one.project()::text))
        .jobs(jobs)
        .message(
            cluster
                .filter(its -> its.kind() != ClusterKind.KUBERNETES)
                .map(its -> "a cluster of kind " + its.kind() + " has no Jobs of its own")
                .orElse(trouble))
        .mappedBy(one.by())
        .mappedAt(one.mappedAt())
        .build();
  }

  /**
   * Maps the namespace, or maps it to another project. Jobs that Fairlead already runs do not move.
   *
   * @param cluster id or name
   * @param tenant name, null for the tenant of the actor
   * @throws Refusal FORBIDDEN, NOT_FOUND (cluster), INVALID_FIELD (tenant, project), LIMIT_EXCEEDED
   */
  public View put(
      Actor actor,
      String cluster,
      String namespace,
      @Nullable String tenant,
      String project,
      boolean validateOnly) {
    Permissions.require(actor, "putFrontNamespace");
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Cluster front = FleetNames.cluster(inventory, cluster);
          Project of = project(actor, tenant, project);
          FrontNamespace old = found(front, namespace).orElse(null);
          if (old == null && fronts.namespaces().size() >= FrontNamespace.MOST) {
            throw new Refusal(
                ProblemCode.LIMIT_EXCEEDED,
                "%d namespaces of front clusters are mapped, the maximum. Remove one first."
                    .formatted(FrontNamespace.MOST));
          }
          FrontNamespace next =
              new FrontNamespace(
                  front.id(),
                  namespace,
                  of.tenant(),
                  of.id(),
                  actor.name(),
                  clock.instant().truncatedTo(ChronoUnit.MILLIS));
          fronts.put(next);
          audit.appendFor(tenants(old, next), entry(actor, "putFrontNamespace", front, old, next));
          return view(next, fronts.counts(front.id()).getOrDefault(namespace, 0), null);
        });
  }

  private Project project(Actor actor, @Nullable String tenant, String project) {
    TenantId id =
        tenant == null
            ? actor.tenant()
            : tenants
                .tenantNamed(tenant)
                .map(Tenant::id)
                .orElseThrow(() ->
                    Refusal.field(
                        "/tenant",
                        "There is no tenant \"%s\". GET /api/v1/tenants lists them."
                            .formatted(tenant)));
    return tenants
        .projectNamed(id, project)
        .orElseThrow(() ->
            Refusal.field(
                "/project",
                "There is no project \"%s\" in tenant %s. Set its tenant, or correct it."
                    .formatted(project, tenants.tenant(id).map(Tenant::name).orElseGet(id::text))));
  }

  private Optional<FrontNamespace> found(Cluster cluster, String namespace) {
    return fronts.namespaces(cluster.id()).stream()
        .filter(one -> one.namespace().equals(namespace))
        .findFirst();
  }

  /**
   * Removes a mapping. Fairlead adopts no more Jobs of the namespace. Running jobs continue and
   * report their end to their Job.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public void remove(Actor actor, String cluster, String namespace, boolean validateOnly) {
    Permissions.require(actor, "deleteFrontNamespace");
    transactions.runOrTry(
        validateOnly,
        () -> {
          Cluster front = FleetNames.cluster(inventory, cluster);
          FrontNamespace old =
              found(front, namespace)
                  .filter(one -> sees(actor, one))
                  .orElseThrow(() ->
                      new Refusal(
                          ProblemCode.NOT_FOUND,
                          ("Namespace \"%s\" of cluster %s is not mapped to a project. GET"
                                  + " /api/v1/front-namespaces lists the mapped ones.")
                              .formatted(namespace, front.name())));
          boolean _ = fronts.remove(front.id(), namespace);
          audit.appendFor(
              tenants(old, null), entry(actor, "deleteFrontNamespace", front, old, null));
        });
  }

  /**
   * An open circuit breaker of a front cluster.
   *
   * @param cluster name of the front cluster
   * @param missing number of adopted Jobs that the cluster no longer shows
   * @param taken number of Jobs adopted there
   * @param since time when the first of them was missing
   */
  @Schema(name = "FrontBreakerResponse")
  public record BreakerView(String cluster, int missing, int taken, Instant since) {
    private BreakerView(String cluster, FrontBreaker open) {
      this(cluster, open.missing(), open.taken(), open.since());
    }
  }

  /**
   * Open circuit breakers, by name of the cluster.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<BreakerView> breakers(Actor actor) {
    Permissions.require(actor, "listFrontBreakers");
    return fronts.breakers().values().stream()
        .map(one ->
            new BreakerView(inventory.nameOf(one.cluster()).orElseGet(one.cluster()::text), one))
        .sorted(Comparator.comparing(BreakerView::cluster))
        .toList();
  }

  /**
   * Confirms that the missing Jobs are lost. Their jobs are cancelled. Jobs that vanish later are
   * not covered.
   *
   * @param cluster id or name
   * @param missing number of missing Jobs that the operator saw
   * @return the breaker before the confirmation
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE when no Job or another number of Jobs is
   *     missing
   */
  public BreakerView confirm(Actor actor, String cluster, int missing, boolean validateOnly) {
    Permissions.require(actor, CONFIRM);
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Cluster front = FleetNames.cluster(inventory, cluster);
          FrontBreaker open = fronts.breakers().get(front.id());
          Instant since = open == null ? null : open.since();
          new ConfirmedLoss(
                  CONFIRM,
                  front,
                  "Jobs",
                  "/api/v1/front-breakers",
                  since,
                  fronts.confirm(front.id()))
              .append(audit, actor, missing);
          return new BreakerView(front.name(), Objects.requireNonNull(open));
        });
  }

  private static AuditRecord entry(
      Actor actor,
      String operation,
      Cluster cluster,
      @Nullable FrontNamespace before,
      @Nullable FrontNamespace after) {
    FrontNamespace one = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("cluster", cluster.name());
    detail.put("namespace", one.namespace());
    detail.put("project", one.project().text());
    return new AuditRecord(actor, operation, cluster.id().text(), true, detail)
        .changed("fronts/" + cluster.name() + "/" + one.namespace(), before, after);
  }
}
