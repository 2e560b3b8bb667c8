package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A machine of a cluster, as stored by Fairlead.
 *
 * @param pool its pool, null if none
 */
@RecordBuilder
public record Node(
    NodeId id,
    ClusterId cluster,
    String name,
    long version,
    @Nullable NodePool pool,
    NodeStatus status)
    implements NodeBuilder.With {
  public NodeState state() {
    return status.state();
  }

  public String gpuModel() {
    return status.gpuModel();
  }

  public long gpuMemoryMiB() {
    return status.gpuMemoryMiB();
  }

  public ResourceVector allocatable() {
    return status.allocatable();
  }

  public ResourceVector allocated() {
    return status.allocated();
  }

  public ResourceVector foreign() {
    return status.foreign();
  }

  public SortedMap<String, String> labels() {
    return status.labels();
  }

  public List<Taint> taints() {
    return status.taints();
  }

  public SortedMap<String, String> topology() {
    return status.topology();
  }

  public String bootId() {
    return status.bootId();
  }

  public List<Gpu> gpus() {
    return status.gpus();
  }

  public @Nullable CapacityType capacity() {
    return status.capacity();
  }

  /** Returns the node in another pool, null if none. */
  public Node in(@Nullable NodePool other) {
    return Objects.equals(pool, other) ? this : withPool(other);
  }

  /** Returns the node in another state. */
  public Node in(NodeState next) {
    return withStatus(status.withState(next));
  }

  /** Returns the free resources, negative if the node is over-committed. */
  public ResourceVector free() {
    return allocatable().minus(allocated()).minus(foreign());
  }
}
