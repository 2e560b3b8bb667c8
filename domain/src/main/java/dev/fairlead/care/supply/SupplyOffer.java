package dev.fairlead.care.supply;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a pool could now get from its provisioner.
 *
 * @param nodePool node pool of the pool
 * @param room number of further nodes that may be requested
 * @param coming number of requested nodes that are not ready
 * @param since time of the oldest request for these, null if none
 * @param stockOut null unless the provisioner lacks nodes now
 */
@RecordBuilder
public record SupplyOffer(
    PoolId pool,
    NodePool nodePool,
    ClusterId cluster,
    NodeKind kind,
    int room,
    int coming,
    @Nullable Instant since,
    @Nullable StockOut stockOut) {

  /** Returns the offers of the existing pools. */
  public static List<SupplyOffer> of(
      Collection<Supply> supplies,
      Collection<Pool> pools,
      Collection<SupplyRequest> requests,
      Instant now) {
    SortedMap<PoolId, Pool> known = new TreeMap<>();
    pools.forEach(pool -> known.put(pool.id(), pool));
    List<SupplyOffer> offers = new ArrayList<>();
    for (Supply supply : supplies) {
      Pool pool = known.get(supply.pool());
      if (pool != null) {
        List<SupplyRequest> its =
            requests.stream().filter(r -> r.asked().pool().equals(pool.id())).toList();
        offers.add(of(supply, pool, its, now));
      }
    }
    return offers;
  }

  /** Returns whether such nodes would be selected by the pool. */
  public static boolean fallsInto(Pool pool, Supply supply, Cluster joined) {
    Node node = of(supply, pool, List.of(), Instant.EPOCH).nodes(joined, 1).getFirst();
    return pool.selector().selects(joined.name(), node);
  }

  private static SupplyOffer of(
      Supply supply, Pool pool, List<SupplyRequest> requests, Instant now) {
    int held = requests.stream().mapToInt(SupplyRequest::held).sum();
    int coming = requests.stream().mapToInt(SupplyRequest::coming).sum();
    Instant since =
        requests.stream()
            .filter(each -> each.coming() > 0)
            .map(each -> each.asked().at())
            .min(Comparator.naturalOrder())
            .orElse(null);
    NodeKind kind = supply.kind();
    return SupplyOfferBuilder.builder()
        .pool(pool.id())
        .nodePool(pool.nodePool())
        .cluster(supply.cluster())
        .kind(
            new NodeKind(
                kind.model(),
                kind.gpus(),
                kind.gpuMemoryMiB(),
                kind.capacity(),
                kind.offers(),
                labels(supply, pool)))
        .room(Math.max(0, supply.maxNodes() - held))
        .coming(coming)
        .since(since)
        .stockOut(StockOut.of(supply, requests, now))
        .build();
  }

  /**
   * Returns the labels of each node: the labels of the supply, and the labels that the pool
   * selects.
   */
  public static SortedMap<String, String> labels(Supply supply, Pool pool) {
    SortedMap<String, String> labels = new TreeMap<>(pool.selector().matchLabels());
    labels.putAll(supply.kind().labels());
    return labels;
  }

  /** Returns simulated nodes, with unique ids and names. */
  public List<Node> nodes(Cluster joined, int count) {
    return IntStream.range(0, count).mapToObj(index -> node(joined, index)).toList();
  }

  private Node node(Cluster joined, int index) {
    String name = "supplied-" + nodePool.name() + "-" + index;
    List<Gpu> gpus =
        IntStream.range(0, kind.gpus())
            .mapToObj(gpu -> new Gpu(gpu, name + "/" + gpu, GpuState.HEALTHY, 0))
            .toList();
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(NodeState.ACTIVE)
            .gpuModel(kind.model())
            .gpuMemoryMiB(kind.gpuMemoryMiB())
            .allocatable(kind.offers())
            .labels(kind.labels())
            .gpus(gpus)
            .capacity(kind.capacity())
            .build();
    return new Node(id(index), joined.id(), name, 1, nodePool, status);
  }

  private NodeId id(int index) {
    return new NodeId(new UUID(pool.value().getMostSignificantBits(), Long.MIN_VALUE | index));
  }
}
