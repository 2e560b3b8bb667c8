package dev.fairlead.data.volume.web;

import dev.fairlead.data.volume.service.VolumeLosses;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Min;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Lists clusters that miss many claims of volumes, and confirms that these claims are lost. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Volumes")
class VolumeLossController {
  private final VolumeLosses losses;

  VolumeLossController(VolumeLosses losses) {
    this.losses = losses;
  }

  /** Confirms the loss of missing claims. */
  @Schema(name = "ConfirmVolumeLossRequest")
  record ConfirmVolumeLossRequest(
      @Schema(description = "Number of missing claims as returned by GET /api/v1/volume-breakers")
          @Min(1)
          Integer missing) {}

  @Operation(
      operationId = "listVolumeBreakers",
      summary = "List open circuit breakers of volumes",
      description =
          "Lists open breakers by cluster. A breaker opens if more than 20 and more than 5"
              + " percent of the claims of a cluster's volumes are missing, for example because"
              + " another API server answers at its address or its etcd was restored. Until it"
              + " closes, none of these volumes is LOST, and jobs that mount them wait. Other"
              + " jobs are not affected. It closes automatically when the claims reappear.")
  @GetMapping("/volume-breakers")
  Page<VolumeLosses.View> breakers(Actor actor) {
    return Page.whole(losses.breakers(actor));
  }

  @Operation(
      operationId = "confirmVolumeLoss",
      summary = "Confirm that missing claims of volumes are lost",
      description =
          "Volumes with missing claims become LOST once a claim has been missing for five minutes,"
              + " at the next check, which is at most a minute later. Refused with ILLEGAL_STATE if"
              + " the number of missing claims differs from the request. Claims that vanish later"
              + " need another confirmation, and the confirmation expires for claims that are shown"
              + " again.")
  @PostBody("/clusters/{cluster}/confirm-volume-loss")
  VolumeLosses.View confirm(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody ConfirmVolumeLossRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return losses.confirm(actor, cluster, request.missing(), options.validateOnly());
  }
}
