package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.service.repair.RepairView;
import dev.fairlead.care.health.service.repair.Repairs;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Lists repairs of nodes, and accepts operators' orders. */
@ApiController(ApiPaths.ROOT + "/repairs")
@Tag(name = "Health")
class RepairController {
  private final Repairs repairs;
  private final PageTokens tokens;

  RepairController(Repairs repairs, PageTokens tokens) {
    this.repairs = repairs;
    this.tokens = tokens;
  }

  /** An operator's action on a repair. */
  @Schema(name = "OrderRepairRequest")
  record OrderRepairRequest(
      @Schema(description = "HOLD, RESUME, SKIP, FORCE or DONE") RepairOrder order,
      @Schema(description = "Current step of the repair, as the operator read it") RepairStep step,
      @Schema(description = "Reason for the order") @Size(min = 1, max = 500) String reason) {}

  @Operation(
      operationId = "listRepairs",
      summary = "List repairs",
      description =
          "Lists repairs of all nodes, or of one node by name or id, newest first. The id also"
              + " finds a node that has left its cluster. Ended repairs are stored for two years.")
  @GetMapping
  ResponseEntity<Page<RepairView>> list(
      Actor actor,
      @RequestParam(required = false) @Nullable String node,
      @Parameter(description = "Whether to return only active repairs.")
          @RequestParam(defaultValue = "false")
          boolean open,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "repairs " + open + " " + node;
    RepairId before =
        tokens.position(actor, filter, pageToken).map(RepairController::id).orElse(null);
    List<RepairView> found = repairs.list(node, open, before, size + 1);
    return tokens.page(actor, filter, size, found, RepairView::id).answer();
  }

  @Operation(
      operationId = "getRepair",
      summary = "Read a repair",
      description =
          "Returns the current step, the condition that it waits for, and the finished steps.")
  @GetMapping("/{repair}")
  RepairView one(@PathVariable String repair) {
    return repairs.one(id(repair));
  }

  @Operation(
      operationId = "orderRepair",
      summary = "Hold or resume a repair, or skip, force or finish a step",
      description =
          "HOLD: no step is requested until RESUME. SKIP: continues with the next stronger"
              + " step. FORCE: requests the step immediately, regardless of its conditions, or the"
              + " next step for a repaired node. DONE: the requested step is done, and the node"
              + " stays quarantined until it is released. Refused with ILLEGAL_STATE if the order"
              + " has no effect, or if the current step differs from the one in the order.")
  @PostBody("/{repair}/orders")
  RepairView order(
      Actor actor,
      @PathVariable String repair,
      WriteOptions options,
      @RequestBody OrderRepairRequest request) {
    return repairs.order(
        actor,
        id(repair),
        request.order(),
        request.step(),
        request.reason(),
        options.validateOnly());
  }

  private static RepairId id(String text) {
    return new RepairId(ApiPaths.id(IdKind.REPAIR, text));
  }
}
