package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.cluster.SpareNodes;
import dev.fairlead.node.KeptCapacity;
import dev.fairlead.node.Node;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodePool;
import dev.fairlead.node.Pool;
import dev.fairlead.node.PoolStore;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads pools: roles of the platform see all, others the shared ones and those of their tenant. */
@Service
public class Pools {
  private final Transactions transactions;
  private final PoolStore pools;
  private final InventoryStore inventory;
  private final TenantStore tenants;
  private final KeptCapacity rooms;

  public Pools(
      Transactions transactions,
      PoolStore pools,
      InventoryStore inventory,
      TenantStore tenants,
      KeptCapacity rooms) {
    this.transactions = transactions;
    this.pools = pools;
    this.inventory = inventory;
    this.tenants = tenants;
    this.rooms = rooms;
  }

  /** Whether the actor may know of the pool; null is the pool of no node. */
  public static boolean sees(Actor actor, @Nullable NodePool pool) {
    return pool == null || pool.serves(actor.tenant()) || platform(actor);
  }

  private static boolean platform(Actor actor) {
    return actor.roles().stream().anyMatch(role -> role.scope() == Role.Scope.PLATFORM);
  }

  /** By name. */
  public List<PoolView> all(Actor actor) {
    return transactions.read(() -> {
      List<Cluster> clusters = inventory.clusters();
      List<Node> nodes = seen(actor);
      List<Node> spares = spares(clusters, nodes);
      return visible(actor).stream()
          .map(pool -> PoolView.of(pool, owner(pool), clusters, nodes, spares))
          .toList();
    });
  }

  /**
   * @param text id or name
   * @throws Refusal NOT_FOUND, also for a pool of another tenant
   */
  public PoolView named(Actor actor, String text) {
    return transactions.read(() -> view(actor, found(actor, text)));
  }

  /** In the open transaction. */
  Pool found(Actor actor, String text) {
    return visible(actor).stream()
        .filter(pool -> pool.name().equals(text) || pool.id().text().equals(text))
        .findFirst()
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no pool \"" + text + "\"."));
  }

  /** With its size as it is now, in the open transaction. */
  PoolView view(Actor actor, Pool pool) {
    List<Cluster> clusters = inventory.clusters();
    List<Node> nodes = seen(actor);
    return PoolView.of(pool, owner(pool), clusters, nodes, spares(clusters, nodes));
  }

  /**
   * Nodes of another tenant's pool are not counted for this one, not even as those that it lacks.
   */
  private List<Node> seen(Actor actor) {
    return inventory.nodes(null).stream().filter(node -> sees(actor, node.pool())).toList();
  }

  private List<Node> spares(List<Cluster> clusters, List<Node> nodes) {
    Set<NodeId> kept = new TreeSet<>();
    rooms.kept().forEach(each -> kept.add(each.node()));
    return SpareNodes.all(clusters, nodes, kept::contains);
  }

  /**
   * @throws Refusal INVALID_FIELD when there is no such tenant
   */
  TenantId tenant(String name) {
    return tenants
        .tenantNamed(name)
        .map(Tenant::id)
        .orElseThrow(() -> {
          String detail = "There is no tenant \"" + name + "\". GET /api/v1/tenants lists them.";
          return new Refusal(
              ProblemCode.INVALID_FIELD,
              detail,
              List.of(new FieldProblem("/tenant", ProblemCode.INVALID_FIELD, detail, null)));
        });
  }

  private List<Pool> visible(Actor actor) {
    return platform(actor) ? pools.pools() : pools.pools(actor.tenant());
  }

  private @Nullable String owner(Pool pool) {
    TenantId owner = pool.tenant();
    return owner == null ? null : tenants.tenant(owner).map(Tenant::name).orElseGet(owner::text);
  }
}
