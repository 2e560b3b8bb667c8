package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyBuilder;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterCheck;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolCheck;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Sets, reads and removes the supplies of pools. */
@Service
public class PoolSupplies implements PoolCheck, ClusterCheck {
  private static final int MOST_REQUESTS = 50;
  private static final int MOST_NAMED = 20;
  private static final String PUT = "putPoolSupply";
  private static final String DELETE = "deletePoolSupply";

  private final Transactions transactions;
  private final SupplyStore supplies;
  private final PoolStore pools;
  private final InventoryStore inventory;
  private final NodeProvisioner provisioner;
  private final SharedKey key;
  private final AuditLog audit;

  public PoolSupplies(
      Transactions transactions,
      SupplyStore supplies,
      PoolStore pools,
      InventoryStore inventory,
      NodeProvisioner provisioner,
      SharedKey key,
      AuditLog audit) {
    this.transactions = transactions;
    this.supplies = supplies;
    this.pools = pools;
    this.inventory = inventory;
    this.provisioner = provisioner;
    this.key = key;
    this.audit = audit;
  }

  /**
   * Returns the supply of a pool.
   *
   * @param text id or name of the pool
   * @throws Refusal FORBIDDEN, NOT_FOUND also for a pool without a supply
   */
  public SupplyView of(Actor actor, String text) {
    Permissions.require(actor, "getPoolSupply");
    return transactions.readForAllTenants(() -> {
      Pool pool = pool(text);
      return view(pool, stored(pool), null);
    });
  }

  /**
   * Sets or replaces the supply. Open requests stay open.
   *
   * @param expected version that is replaced, null for any and for the first
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD, UNSAFE_ADDRESS,
   *     ILLEGAL_STATE without a key to sign calls, or for another address, node kind or cluster
   *     while requests are open
   */
  public SupplyView put(
      Actor actor, String text, SupplySpec spec, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, PUT);
    if (spec.provisioner() instanceof Supply.Webhook webhook) {
      provisioner
          .refuses(webhook)
          .ifPresent(why -> {
            throw invalid(
                "/webhook", ProblemCode.UNSAFE_ADDRESS, "The provisioner is not called: " + why);
          });
    }
    return changed(
        validateOnly,
        () -> {
          Pool pool = pool(text);
          String signing = spec.provisioner() instanceof Supply.Webhook ? signingKey(pool) : null;
          Supply before = supplies.supply(pool.id()).orElse(null);
          long version = before == null ? 0 : before.version();
          if (expected != null && expected != version) {
            throw stale(pool.name());
          }
          Supply next = supply(pool, spec, version + 1);
          if (before != null) {
            refuseMove(pool, before, next);
          }
          supplies.put(next);
          audit.append(
              new AuditRecord(actor, PUT, pool.id().text(), true, new TreeMap<>())
                  .changed("supply/" + pool.id().text(), before, next));
          return view(pool, next, signing);
        });
  }

  /**
   * Removes the supply.
   *
   * @param forced reason to remove a supply with a lost provisioner although it has nodes or
   *     pending requests, null to refuse that. The nodes stay in the pool and are not returned.
   *     Nodes that were drained for their return accept jobs again.
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, ILLEGAL_STATE while the supply has
   *     nodes or pending requests, unless forced
   */
  public void delete(
      Actor actor,
      String text,
      @Nullable String forced,
      @Nullable Long expected,
      boolean validateOnly) {
    Permissions.require(actor, DELETE);
    Supply _ =
        changed(
            validateOnly,
            () -> {
              Pool pool = pool(text);
              Supply stored = stored(pool);
              if (expected != null && expected != stored.version()) {
                throw stale(pool.name());
              }
              List<SupplyRequest> open = open(pool);
              int held = open.stream().mapToInt(SupplyRequest::held).sum();
              List<String> there = open.stream().flatMap(each -> each.there().stream()).toList();
              if (held > 0 && forced == null) {
                throw held(pool, held, there);
              }
              supplies.delete(stored);
              TreeMap<String, Object> detail = new TreeMap<>();
              if (forced != null) {
                detail.put("forced", forced);
                detail.put("nodesHeld", held);
                detail.put("nodesThere", there);
                open.stream()
                    .flatMap(each -> each.drained().stream())
                    .forEach(this::takesJobsAgain);
              }
              audit.append(
                  new AuditRecord(actor, DELETE, pool.id().text(), true, detail)
                      .changed("supply/" + pool.id().text(), stored, null));
              return stored;
            });
  }

  private void takesJobsAgain(NodeId node) {
    boolean _ = inventory.order(node, NodeOrder.UNCORDON).isPresent();
  }

  private static Refusal held(Pool pool, int held, List<String> there) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        ("The provisioner of pool %s has not removed %d nodes. The cluster reports %s. Set"
                + " maxNodes to 0, drain them, and retry. If the provisioner no longer exists,"
                + " set forceReason. These nodes then stay in the pool and are billed until you"
                + " remove them at the provider, and so are nodes that may still arrive.")
            .formatted(pool.name(), held, there.isEmpty() ? "none of them" : named(there)));
  }

  private static String named(List<String> all) {
    String first = String.join(", ", all.subList(0, Math.min(all.size(), MOST_NAMED)));
    int more = all.size() - MOST_NAMED;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  /** Refuses a selector that excludes the nodes of the provisioner, as setting the supply does. */
  @Override
  public Optional<String> refuses(Pool next) {
    return supplies
        .supply(next.id())
        .filter(supply -> supply.maxNodes() > 0)
        .filter(supply ->
            inventory
                .cluster(supply.cluster())
                .filter(cluster -> SupplyOffer.fallsInto(next, supply, cluster))
                .isEmpty())
        .map(supply ->
            ("Nodes that the provisioner of pool %s adds to cluster %s would no longer belong to"
                    + " it. Set maxNodes of its supply to 0 first, or select them too.")
                .formatted(
                    next.name(),
                    inventory.nameOf(supply.cluster()).orElse(supply.cluster().text())));
  }

  /**
   * Refuses to disable a cluster with open requests. No process requests or returns nodes of a
   * disabled cluster, and the nodes are still billed.
   */
  @Override
  public Optional<String> refuses(Cluster cluster) {
    List<String> open = openRequests(cluster);
    if (open.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        ("Cluster %s has %d open %s for nodes: %s. While it is disabled, these nodes are neither"
                + " requested nor returned, and are still billed. Set maxNodes of the supply to"
                + " 0, drain its nodes, and retry when no request is open. Or disable the"
                + " cluster anyway with force=true.")
            .formatted(
                cluster.name(),
                open.size(),
                open.size() == 1 ? "request" : "requests",
                named(open)));
  }

  @Override
  public List<String> openRequests(Cluster cluster) {
    SortedMap<PoolId, String> names = new TreeMap<>();
    pools.pools().forEach(pool -> names.put(pool.id(), pool.name()));
    return supplies.open().stream()
        .filter(each -> each.asked().cluster().equals(cluster.id()))
        .map(each -> text(each, names))
        .toList();
  }

  private static String text(SupplyRequest request, SortedMap<PoolId, String> names) {
    PoolId pool = request.asked().pool();
    return "%s of pool %s (%s, %d held)"
        .formatted(
            request.id().text(),
            names.getOrDefault(pool, pool.text()),
            request.state(),
            request.held());
  }

  private List<SupplyRequest> open(Pool pool) {
    return supplies.open().stream().filter(each -> each.asked().pool().equals(pool.id())).toList();
  }

  /**
   * Refuses another provisioner while requests are open. It would repeat the requests of the
   * previous provisioner and could not withdraw them. Another provisioner may only take over nodes
   * to return after the previous one is lost.
   */
  private void refuseMove(Pool pool, Supply before, Supply next) {
    boolean same =
        sameProvisioner(before.provisioner(), next.provisioner())
            && before.kind().equals(next.kind())
            && before.cluster().equals(next.cluster());
    if (same) {
      return;
    }
    List<SupplyRequest> open = open(pool);
    boolean onlyHandsBack =
        next.maxNodes() == 0
            && open.stream().allMatch(each -> !each.state().waits() && each.kept().isEmpty());
    if (!open.isEmpty() && !onlyHandsBack) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          ("Provisioner, node and cluster of the supply of pool %s cannot change while %d of its"
                  + " requests are open: only that provisioner can remove their nodes. Set"
                  + " maxNodes to 0, drain the nodes, wait until no request is open, and retry.")
              .formatted(pool.name(), open.size()));
    }
  }

  private <T> T changed(boolean trial, Supplier<T> work) {
    try {
      return transactions.callOrTry(trial, () -> transactions.forAllTenants(work));
    } catch (Conflict refused) {
      throw stale(refused.subject());
    }
  }

  private Supply supply(Pool pool, SupplySpec spec, long version) {
    Cluster cluster =
        inventory
            .clusterNamed(spec.cluster())
            .orElseThrow(() ->
                invalid(
                    "/cluster",
                    ProblemCode.INVALID_FIELD,
                    "There is no cluster \"" + spec.cluster() + "\"."));
    Supply supply =
        SupplyBuilder.builder()
            .pool(pool.id())
            .cluster(cluster.id())
            .kind(spec.kind())
            .maxNodes(spec.maxNodes())
            .releaseAfter(spec.releaseAfter())
            .readyWithin(spec.readyWithin())
            .webhook(spec.provisioner() instanceof Supply.Webhook asked ? asked : null)
            .version(version)
            .provisioning(
                spec.provisioner() instanceof Supply.ProvisioningClass asked ? asked : null)
            .build();
    if (!SupplyOffer.fallsInto(pool, supply, cluster)) {
      throw invalid(
          "/node",
          ProblemCode.CONFLICTING_FIELDS,
          "Such a node on cluster "
              + cluster.name()
              + " would not belong to pool "
              + pool.name()
              + ": compare clusters, models and labels with its selector.");
    }
    if (spec.provisioner() instanceof Supply.ProvisioningClass
        && SupplyOffer.labels(supply, pool).isEmpty()) {
      throw invalid(
          "/node/labels",
          ProblemCode.CONFLICTING_FIELDS,
          "The autoscaler finds the nodes to add by their labels. Set a label of its node group,"
              + " such as cloud.google.com/gke-nodepool.");
    }
    return supply;
  }

  /**
   * Returns whether both are the same provisioner. A provisioner with a new certificate at the same
   * address counts as the same provisioner.
   */
  private static boolean sameProvisioner(Supply.Provisioner before, Supply.Provisioner next) {
    return before instanceof Supply.Webhook its && next instanceof Supply.Webhook other
        ? its.url().equals(other.url())
        : before.equals(next);
  }

  private SupplyView view(Pool pool, Supply supply, @Nullable String signing) {
    String cluster = inventory.nameOf(supply.cluster()).orElse(supply.cluster().text());
    List<SupplyRequest> requests = supplies.requests(pool.id(), MOST_REQUESTS);
    SupplyOffer offer =
        supplies.offers().stream()
            .filter(each -> each.pool().equals(pool.id()))
            .findFirst()
            .orElseGet(() -> offer(pool, supply, requests));
    return new SupplyView(supply, pool.name(), cluster, offer, requests, signing);
  }

  private SupplyOffer offer(Pool pool, Supply supply, List<SupplyRequest> requests) {
    return SupplyOffer.of(List.of(supply), List.of(pool), requests, supplies.now()).getFirst();
  }

  private String signingKey(Pool pool) {
    return key.derived(Supply.signs(pool.id()))
        .map(bytes -> HexFormat.of().formatHex(bytes))
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.ILLEGAL_STATE,
                "Calls to provisioners are signed with a key that is derived from the key file. "
                    + "Set FAIRLEAD_KEY_FILE."));
  }

  private Pool pool(String text) {
    return pools.pools().stream()
        .filter(pool -> pool.name().equals(text) || pool.id().text().equals(text))
        .findFirst()
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no pool \"" + text + "\"."));
  }

  private Supply stored(Pool pool) {
    return supplies
        .supply(pool.id())
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "Pool " + pool.name() + " has no supply."));
  }

  private static Refusal stale(String pool) {
    return Refusal.changed("The supply of pool \"" + pool + "\"");
  }

  private static Refusal invalid(String pointer, ProblemCode code, String detail) {
    return Refusal.field(code, pointer, detail, null);
  }
}
