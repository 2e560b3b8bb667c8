package dev.fairlead.work.job.web.view;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.job.service.query.GpuQueries;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU of the fleet.
 *
 * @param serial serial number or UUID. Node name and index if the cluster reports neither UUID nor
 *     serial number
 * @param memory memory of the device, null if its cluster does not report it
 * @param allocated part of the GPU that attempts hold
 * @param others part of the GPU held by jobs that the caller cannot see
 */
@RecordBuilder
public record DeviceResponse(
    String serial,
    int index,
    String node,
    String cluster,
    String model,
    @Nullable String memory,
    GpuState state,
    NodeState nodeState,
    BigDecimal allocated,
    BigDecimal others,
    List<HolderResponse> holders) {
  /** A member that holds the GPU. */
  record HolderResponse(
      String job, String name, String attempt, String member, BigDecimal fraction) {
    static HolderResponse of(GpuHolder holder) {
      return new HolderResponse(
          holder.job().text(),
          holder.jobName(),
          holder.attempt().text(),
          holder.member(),
          gpus(holder.milli()));
    }
  }

  public static DeviceResponse of(GpuQueries.HeldDevice held) {
    Node node = held.device().node();
    Gpu gpu = held.device().gpu();
    return DeviceResponseBuilder.builder()
        .serial(gpu.serial())
        .index(gpu.index())
        .node(node.name())
        .cluster(held.device().cluster().name())
        .model(node.gpuModel())
        .memory(node.gpuMemoryMiB() == 0 ? null : Quantity.ofMebibytes(node.gpuMemoryMiB()))
        .state(gpu.state())
        .nodeState(node.state())
        .allocated(gpus(gpu.allocatedMilli()))
        .others(gpus(held.othersMilli()))
        .holders(held.holders().stream().map(HolderResponse::of).toList())
        .build();
  }

  private static BigDecimal gpus(long milli) {
    return new BigDecimal(Quantity.ofMilli(milli));
  }
}
