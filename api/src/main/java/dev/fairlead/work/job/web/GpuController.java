package dev.fairlead.work.job.web;

import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.query.GpuQueries;
import dev.fairlead.work.job.web.view.DeviceResponse;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Lists each GPU of the fleet with its holders. */
@ApiController(ApiPaths.ROOT + "/gpus")
@Tag(name = "Clusters")
class GpuController {
  private final GpuQueries gpus;
  private final PageTokens tokens;

  GpuController(GpuQueries gpus, PageTokens tokens) {
    this.gpus = gpus;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listGpus",
      summary = "List GPUs",
      description =
          "Lists each device by cluster, node and index, with the holding jobs that the"
              + " caller can see and the sum of all others. The data is at most two seconds old.")
  @GetMapping
  ResponseEntity<Page<DeviceResponse>> list(
      Actor actor,
      @RequestParam(required = false) @Nullable String cluster,
      @RequestParam(required = false) @Nullable String node,
      @RequestParam(required = false) @Nullable String model,
      @RequestParam(required = false) @Nullable String gpuState,
      @RequestParam(required = false) @Nullable String serial,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    GpuState state =
        gpuState == null ? null : Parameters.choice("gpuState", GpuState.class, gpuState);
    String sealed = "gpus " + cluster + " " + node + " " + model + " " + state + " " + serial;
    String after = tokens.position(actor, sealed, pageToken).map(text -> text).orElse(null);
    List<GpuQueries.Device> all =
        gpus.devices(new GpuQueries.Filter(cluster, node, model, state, serial));
    List<GpuQueries.Device> rest = behind(all, after);
    List<GpuQueries.Device> page = rest.subList(0, Math.min(size, rest.size()));
    int seen = all.size() - rest.size() + page.size();
    String next =
        rest.size() <= size ? null : tokens.next(actor, sealed, seen + " " + name(page.getLast()));
    return new Page<>(gpus.held(actor, page).stream().map(DeviceResponse::of).toList(), next)
        .answer();
  }

  private static String name(GpuQueries.Device device) {
    return device.node().id().text() + "/" + device.gpu().index();
  }

  /** Starts after the last GPU of the previous page, by its number if that GPU no longer exists. */
  private static List<GpuQueries.Device> behind(
      List<GpuQueries.Device> all, @Nullable String position) {
    if (position == null) {
      return all;
    }
    String[] parts = position.split(" ", 2);
    int at = all.stream().map(GpuController::name).toList().indexOf(parts[1]);
    int from = at < 0 ? Integer.parseInt(parts[0]) : at + 1;
    return all.subList(Math.min(from, all.size()), all.size());
  }
}
