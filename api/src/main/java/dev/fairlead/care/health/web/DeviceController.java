package dev.fairlead.care.health.web;

import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.service.Devices;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Location and history of each GPU, independent of its node. */
@ApiController(ApiPaths.ROOT + "/gpus")
@Tag(name = "Health")
class DeviceController {
  private final Devices devices;
  private final PageTokens tokens;

  DeviceController(Devices devices, PageTokens tokens) {
    this.devices = devices;
    this.tokens = tokens;
  }

  /**
   * An event in the history of a GPU.
   *
   * @param text description, in addition to the kind
   * @param incident id of its incident, null if none
   */
  @Schema(name = "GpuChangeResponse")
  record GpuChangeResponse(
      Instant at, DeviceChange.Kind kind, String text, @Nullable String incident) {
    static GpuChangeResponse of(DeviceChange c) {
      String incident = c.incident() == null ? null : c.incident().text();
      return new GpuChangeResponse(c.at(), c.kind(), c.text(), incident);
    }
  }

  @Operation(
      operationId = "getGpu",
      summary = "Read a GPU",
      description =
          "Returns the location of a device by UUID or serial number, from faults and the"
              + " inventory of monitors. If several devices have the serial number, returns the"
              + " one reported last.")
  @GetMapping("/{gpu}")
  Devices.View one(@PathVariable String gpu) {
    return devices.one(gpu);
  }

  @Operation(
      operationId = "getGpuHistory",
      summary = "Read the history of a GPU",
      description = "Returns moves, incidents and quarantines of a device, newest first.")
  @GetMapping("/{gpu}/history")
  ResponseEntity<Page<GpuChangeResponse>> history(
      Actor actor,
      @PathVariable String gpu,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "life of " + gpu;
    DeviceChange.Cursor from =
        tokens.position(actor, filter, pageToken).map(DeviceController::cursor).orElse(null);
    List<DeviceChange> found = devices.history(gpu, from, size + 1);
    List<DeviceChange> page = found.subList(0, Math.min(size, found.size()));
    DeviceChange.Cursor end = found.size() > size ? DeviceChange.Cursor.behind(page, from) : null;
    String next = end == null ? null : tokens.next(actor, filter, end.read() + " " + end.at());
    return new Page<>(page.stream().map(GpuChangeResponse::of).toList(), next).answer();
  }

  private static DeviceChange.Cursor cursor(String position) {
    String[] parts = position.split(" ", 2);
    return new DeviceChange.Cursor(Instant.parse(parts[1]), Integer.parseInt(parts[0]));
  }
}
