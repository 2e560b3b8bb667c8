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

/** Nodes that break again and again. */
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
   * How much speaks against a node.
   *
   * @param node name of the node
   * @param cluster name of its cluster
   * @param points of all parts together
   * @param lemon whether it should not come back as it is
   * @param parts what counts, and how often
   * @param gpus its devices of which faults are known, the worst first
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
   * What speaks against a node.
   *
   * @param times how often within 30 days; of attempts, within the last hour
   * @param points that this is
   */
  @Schema(name = "LemonPartResponse")
  record LemonPartResponse(Lemon.Kind kind, int times, int points) {}

  /**
   * A device of a node.
   *
   * @param gpu UUID of the device
   * @param serial null when unknown
   * @param points of its faults
   */
  @Schema(name = "LemonGpuResponse")
  record LemonGpuResponse(String gpu, @Nullable String serial, int points) {}

  @Operation(
      operationId = "listLemons",
      summary = "List nodes that break again and again",
      description =
          "Lists nodes with faults, failed health tests, repairs and attempts ended by them, at most the 500 worst, each "
              + "with the composition of its score. A node with 10 points is reported as a lemon.")
  @GetMapping
  Page<LemonResponse> all() {
    return Page.whole(lemons.worst().stream().map(LemonResponse::of).toList());
  }
}
