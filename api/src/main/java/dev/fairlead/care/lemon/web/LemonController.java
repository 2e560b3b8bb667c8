package dev.fairlead.care.lemon.web;

import dev.fairlead.care.lemon.Lemon;
import dev.fairlead.care.lemon.service.LemonQueries;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Lists nodes with repeated faults. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/lemons",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Health")
class LemonController {
  private final LemonQueries lemons;

  LemonController(LemonQueries lemons) {
    this.lemons = lemons;
  }

  /**
   * Fault points of a node.
   *
   * @param node name of the node
   * @param cluster name of its cluster
   * @param points sum of the points of all parts
   * @param lemon whether the node should not return to service without repair
   * @param parts counted faults and their frequency
   * @param gpus devices with known faults, the worst first
   */
  @Schema(name = "LemonResponse")
  record LemonResponse(
      String nodeId,
      String node,
      String cluster,
      int points,
      boolean lemon,
      List<LemonPartResponse> parts,
      List<LemonGpuResponse> gpus) {
    static LemonResponse of(LemonQueries.View view) {
      Lemon lemon = view.lemon();
      return new LemonResponse(
          lemon.node().text(),
          lemon.name(),
          view.cluster(),
          lemon.points(),
          lemon.lemon(),
          lemon.parts().stream()
              .map(part -> new LemonPartResponse(part.kind(), part.times(), part.points()))
              .toList(),
          lemon.gpus().stream()
              .map(gpu -> new LemonGpuResponse(gpu.gpu(), gpu.serial(), gpu.points()))
              .toList());
    }
  }

  /**
   * One kind of counted fault.
   *
   * @param times number of occurrences within 30 days, for attempts within the last hour
   * @param points points for these occurrences
   */
  @Schema(name = "LemonPartResponse")
  record LemonPartResponse(Lemon.Kind kind, int times, int points) {}

  /**
   * A device of a node.
   *
   * @param gpu UUID of the device
   * @param serial serial number of the device, null if unknown
   * @param points points for faults of the device
   */
  @Schema(name = "LemonGpuResponse")
  record LemonGpuResponse(String gpu, @Nullable String serial, int points) {}

  @Operation(
      operationId = "listLemons",
      summary = "List nodes with repeated faults",
      description =
          "Lists at most the 500 worst nodes with faults, failed health tests, repairs, or"
              + " attempts that ended because of them, each with the parts of its points. A node"
              + " with 10 points is a lemon.")
  @GetMapping
  Page<LemonResponse> all() {
    return Page.whole(lemons.worst().stream().map(LemonResponse::of).toList());
  }
}
