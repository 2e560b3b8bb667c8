package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.SpareNodes;
import dev.fairlead.fleet.node.CapacityReservations;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.node.window.Opening;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Reads pools. Platform roles see all pools, other roles see shared pools and pools of their
 * tenant.
 */
@Service
public class Pools {
  /** Maximum number of openings per pool in a comparison of two pools. */
  private static final int MOST_COMPARED = 32;

  private static final int MOST_WARNINGS = 8;

  private final Transactions transactions;
  private final PoolStore pools;
  private final InventoryStore inventory;
  private final TenantStore tenants;
  private final CapacityReservations rooms;

  public Pools(
      Transactions transactions,
      PoolStore pools,
      InventoryStore inventory,
      TenantStore tenants,
      CapacityReservations rooms) {
    this.transactions = transactions;
    this.pools = pools;
    this.inventory = inventory;
    this.tenants = tenants;
    this.rooms = rooms;
  }

  /**
   * Returns whether the actor may see the pool. A null pool means a node without a pool, and is
   * visible to all.
   */
  public static boolean sees(Actor actor, @Nullable NodePool pool) {
    return pool == null || pool.serves(actor.tenant()) || platform(actor);
  }

  private static boolean platform(Actor actor) {
    return actor.roles().stream().anyMatch(role -> role.scope() == Role.Scope.PLATFORM);
  }

  /** Returns all visible pools by name. */
  public List<PoolView> all(Actor actor) {
    return transactions.read(() -> {
      FleetSource.Fleet fleet = inventory.fleet();
      List<Cluster> clusters = fleet.clusters();
      List<Node> nodes = seen(actor, fleet);
      List<Node> spares = spares(clusters, nodes);
      return visible(actor).stream()
          .map(pool -> PoolView.of(pool, owner(pool), clusters, nodes, spares))
          .toList();
    });
  }

  /**
   * Returns a pool with its size.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND, also for a pool of another tenant
   */
  public PoolView named(Actor actor, String text) {
    return transactions.read(() -> view(actor, found(actor, text)));
  }

  /** Finds a pool in the open transaction. */
  Pool found(Actor actor, String text) {
    return visible(actor).stream()
        .filter(pool -> pool.name().equals(text) || pool.id().text().equals(text))
        .findFirst()
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no pool \"" + text + "\"."));
  }

  /** Returns the pool with its current size, in the open transaction. */
  PoolView view(Actor actor, Pool pool) {
    FleetSource.Fleet fleet = inventory.fleet();
    List<Cluster> clusters = fleet.clusters();
    List<Node> nodes = seen(actor, fleet);
    return PoolView.of(pool, owner(pool), clusters, nodes, spares(clusters, nodes))
        .warned(sharedTimes(pool, visible(actor), clusters, nodes));
  }

  /**
   * Lists the next openings of its windows, including a current one.
   *
   * @param most maximum number of openings
   * @throws Refusal NOT_FOUND, also for a pool of another tenant
   */
  public List<Opening> openings(Actor actor, String text, int most) {
    return transactions.read(() -> found(actor, text).windows().next(pools.now(), most));
  }

  /**
   * Warns about nodes that two open pools of different owners select. Such a node belongs to the
   * pool of higher precedence.
   */
  private List<String> sharedTimes(
      Pool pool, List<Pool> all, List<Cluster> clusters, List<Node> nodes) {
    List<String> warnings = new ArrayList<>();
    Map<ClusterId, String> names = new TreeMap<>();
    clusters.forEach(cluster -> names.put(cluster.id(), cluster.name()));
    Instant now = pools.now();
    List<Opening> own = openings(pool, now);
    for (Pool other : all) {
      if (warnings.size() < MOST_WARNINGS
          && !(pool.windows().always() && other.windows().always())
          && !Objects.equals(other.tenant(), pool.tenant())
          && nodes.stream()
              .anyMatch(node -> both(pool, other, names.getOrDefault(node.cluster(), ""), node))) {
        firstShared(own, openings(other, now))
            .ifPresent(start -> warnings.add(text(pool, other, start)));
      }
    }
    return warnings;
  }

  /** Returns the next openings. A pool without windows has one opening without an end. */
  private static List<Opening> openings(Pool pool, Instant now) {
    return pool.windows().always()
        ? List.of(new Opening(now, Instant.MAX, ZoneOffset.UTC))
        : pool.windows().next(now, MOST_COMPARED);
  }

  private static boolean both(Pool one, Pool other, String cluster, Node node) {
    return one.selector().selects(cluster, node) && other.selector().selects(cluster, node);
  }

  private static String text(Pool pool, Pool other, Instant start) {
    String first = Pool.PRECEDENCE.compare(pool, other) < 0 ? pool.name() : other.name();
    return "pools %s and %s select nodes in common, and both are open at %s: then these nodes belong to %s once they hold no other work"
        .formatted(pool.name(), other.name(), start, first);
  }

  private static Optional<Instant> firstShared(List<Opening> one, List<Opening> other) {
    return one.stream()
        .flatMap(a ->
            other.stream()
                .filter(b -> a.start().isBefore(b.end()) && b.start().isBefore(a.end()))
                .map(b -> a.start().isAfter(b.start()) ? a.start() : b.start()))
        .min(Instant::compareTo);
  }

  /**
   * Omits nodes of other tenants' pools, even from the number of nodes that belong to another pool.
   */
  private static List<Node> seen(Actor actor, FleetSource.Fleet fleet) {
    return fleet.nodes().stream().filter(node -> sees(actor, node.pool())).toList();
  }

  private List<Node> spares(List<Cluster> clusters, List<Node> nodes) {
    Set<NodeId> kept = new TreeSet<>();
    rooms.kept().forEach(each -> kept.add(each.node()));
    return SpareNodes.all(clusters, nodes, kept::contains);
  }

  /**
   * Returns the id of a tenant.
   *
   * @throws Refusal INVALID_FIELD for an unknown tenant
   */
  TenantId tenant(String name) {
    return tenants
        .tenantNamed(name)
        .map(Tenant::id)
        .orElseThrow(() -> {
          return Refusal.field(
              "/tenant", "There is no tenant \"" + name + "\". GET /api/v1/tenants lists them.");
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
