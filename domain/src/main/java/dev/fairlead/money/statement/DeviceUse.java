package dev.fairlead.money.statement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import org.jspecify.annotations.Nullable;

/**
 * Time of one GPU in members of a project. The time of GPUs of a node without a known UUID is one
 * sum.
 *
 * @param serial serial number of the GPU, null if it is not known
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record DeviceUse(Key key, Names names, @Nullable String serial, long milliMillis) {
  /**
   * Key of the sum.
   *
   * @param gpu UUID, empty if it is not known
   * @param model model of the GPU
   */
  public record Key(String gpu, ProjectId project, ClusterId cluster, NodeId node, String model) {}

  /** Current names of the objects, or their ids if they no longer exist. */
  public record Names(String project, String cluster, String node) {}
}
