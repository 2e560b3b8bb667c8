package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterBuilder;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Registers and reads clusters and nodes. */
@Service
public class Clusters {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final ConnectionCheck connections;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public Clusters(
      Transactions transactions,
      InventoryStore inventory,
      ConnectionCheck connections,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.connections = connections;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Registers a cluster. Registers a cluster, which is UNREACHABLE until its supervisor has seen
   * it.
   *
   * @throws Refusal FORBIDDEN, NAME_IN_USE, UNSAFE_KUBECONFIG, UNSAFE_ADDRESS, IDEMPOTENCY_*
   */
  public ClusterReadModel register(
      Actor actor, NewCluster wanted, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, "registerCluster");
    RequestKey effective = validateOnly ? null : key;
    connections.of(wanted.settings());
    Connection connection = connections.of(wanted);
    Cluster cluster =
        ClusterBuilder.builder()
            .id(new ClusterId(ids.next()))
            .name(wanted.name())
            .kind(wanted.kind())
            .state(ClusterState.UNREACHABLE)
            .capacity(wanted.capacity())
            .pricePerGpuHour(wanted.pricePerGpuHour())
            .settings(wanted.settings())
            .capabilities(Capabilities.UNOBSERVED)
            .createdAt(clock.instant())
            .lastSeenAt(null)
            .trouble("not seen yet")
            .version(1)
            .build();
    try {
      return transactions.call(() -> {
        Optional<String> earlier = idempotency.earlier(actor, "registerCluster", effective);
        if (earlier.isPresent()) {
          return replayed(earlier.get());
        }
        if (inventory.clusterNamed(wanted.name()).isPresent()) {
          throw taken(wanted.name());
        }
        if (!validateOnly) {
          inventory.insert(cluster, connection);
          idempotency.remember(actor, "registerCluster", effective, cluster.id().text());
          audit.append(
              AuditRecord.change(actor, "registerCluster", null, cluster, of -> of.id().text()));
        }
        return new ClusterReadModel(cluster, FleetSize.EMPTY);
      });
    } catch (Conflict raced) {
      throw taken(wanted.name());
    }
  }

  /** Finds the cluster by id, because another cluster may have its name after its removal. */
  private ClusterReadModel replayed(String reference) {
    return IdText.decode(IdKind.CLUSTER, reference)
        .flatMap(id -> inventory.cluster(new ClusterId(id)))
        .map(this::view)
        .orElseThrow(() -> Idempotency.removed("cluster"));
  }

  private ClusterReadModel view(Cluster cluster) {
    return new ClusterReadModel(cluster, inventory.size(cluster.id()));
  }

  /** Returns all clusters by name. */
  public List<ClusterReadModel> all() {
    return transactions.read(() -> {
      SortedMap<ClusterId, FleetSize> sizes = inventory.sizes();
      return inventory.clusters().stream()
          .map(c -> new ClusterReadModel(c, sizes.getOrDefault(c.id(), FleetSize.EMPTY)))
          .toList();
    });
  }

  /**
   * Returns a cluster with its size.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public ClusterReadModel named(String text) {
    return transactions.read(() -> view(FleetNames.cluster(inventory, text)));
  }

  /**
   * Returns a cluster without its size.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public Cluster found(String text) {
    return transactions.read(() -> FleetNames.cluster(inventory, text));
  }

  /**
   * Returns a node.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public NodeView node(String text) {
    return transactions.read(() -> {
      Node node = FleetNames.node(inventory, text);
      return new NodeView(node, inventory.cluster(node.cluster()).orElse(null));
    });
  }

  /**
   * Returns one page of nodes, by cluster, then by name.
   *
   * @param cluster id or name, null for all
   * @param states empty for every state
   * @param model GPU model or family, null for any
   * @param after last node of the previous page, null for the first page
   * @param most maximum of nodes on the page
   * @throws Refusal NOT_FOUND for an unknown cluster
   */
  public List<NodeView> nodes(
      @Nullable String cluster,
      Set<NodeState> states,
      @Nullable String model,
      NodePage.@Nullable Place after,
      int most) {
    Set<String> answering = models(model); // the cache takes its lock before the snapshot starts
    return transactions.read(() -> {
      ClusterId only = cluster == null ? null : FleetNames.cluster(inventory, cluster).id();
      SortedMap<ClusterId, Cluster> known = new TreeMap<>();
      inventory.clusters().forEach(each -> known.put(each.id(), each));
      return inventory.page(new NodePage(only, states, answering, after, most)).stream()
          .map(node -> new NodeView(node, known.get(node.cluster())))
          .toList();
    });
  }

  /** Returns the models of the fleet that match a name, null for any. */
  private @Nullable Set<String> models(@Nullable String name) {
    return name == null
        ? null
        : inventory.fleet().nodes().stream()
            .map(Node::gpuModel)
            .filter(model -> GpuModel.answers(model, name))
            .collect(Collectors.toSet());
  }

  private static Refusal taken(String name) {
    return Refusal.field(
        ProblemCode.NAME_IN_USE, "/name", "A cluster is named \"" + name + "\" already.", null);
  }
}
