package dev.fairlead.care.flaky.web;

import dev.fairlead.care.flaky.FlakyNode;
import dev.fairlead.care.flaky.service.FlakyNodeQueries;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;

/** Lists nodes with repeated faults. */
@ApiController(ApiPaths.ROOT + "/flaky-nodes")
@Tag(name = "Health")
class FlakyNodeController {
  private final FlakyNodeQueries flakyNodes;

  FlakyNodeController(FlakyNodeQueries flakyNodes) {
    this.flakyNodes = flakyNodes;
  }

  /**
   * Fault points of a node.
   *
   * @param node name of the node
   * @param cluster name of its cluster
   * @param points sum of the points of all parts
   * @param flakyNode whether the node should not return to service without repair
   * @param parts counted faults and their frequency
   * @param gpus devices with known faults, the worst first
   */
  @Schema(name = "FlakyNodeResponse")
  record FlakyNodeResponse(
      String nodeId,
      String node,
      String cluster,
      int points,
      boolean flakyNode,
      List<FlakyNodePartResponse> parts,
      List<FlakyNodeGpuResponse> gpus) {
    static FlakyNodeResponse of(FlakyNodeQueries.View view) {
      FlakyNode flakyNode = view.flakyNode();
      return new FlakyNodeResponse(
          flakyNode.node().text(),
          flakyNode.name(),
          view.cluster(),
          flakyNode.points(),
          flakyNode.flakyNode(),
          flakyNode.parts().stream()
              .map(part -> new FlakyNodePartResponse(part.kind(), part.times(), part.points()))
              .toList(),
          flakyNode.gpus().stream()
              .map(gpu -> new FlakyNodeGpuResponse(gpu.gpu(), gpu.serial(), gpu.points()))
              .toList());
    }
  }

  /**
   * One kind of counted fault.
   *
   * @param times number of occurrences within 30 days, for attempts within the last hour
   * @param points points for these occurrences
   */
  @Schema(name = "FlakyNodePartResponse")
  record FlakyNodePartResponse(FlakyNode.Kind kind, int times, int points) {}

  /**
   * A device of a node.
   *
   * @param gpu UUID of the device
   * @param serial serial number of the device, null if unknown
   * @param points points for faults of the device
   */
  @Schema(name = "FlakyNodeGpuResponse")
  record FlakyNodeGpuResponse(String gpu, @Nullable String serial, int points) {}

  @Operation(
      operationId = "listFlakyNodes",
      summary = "List nodes with repeated faults",
      description =
          "Lists at most the 500 worst nodes with faults, failed health tests, repairs, or"
              + " attempts that ended because of them, each with the parts of its points. A node"
              + " with 10 points is a flaky node.")
  @GetMapping
  Page<FlakyNodeResponse> all() {
    return Page.whole(flakyNodes.worst().stream().map(FlakyNodeResponse::of).toList());
  }
}
