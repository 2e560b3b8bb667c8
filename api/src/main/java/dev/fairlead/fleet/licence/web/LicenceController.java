package dev.fairlead.fleet.licence.web;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.service.LicenceView;
import dev.fairlead.fleet.licence.service.Licences;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Manages licences: counted resources that jobs hold independently of nodes. */
@ApiController(ApiPaths.ROOT + "/licences")
@Tag(name = "Licences")
class LicenceController {
  private final Licences licences;

  LicenceController(Licences licences) {
    this.licences = licences;
  }

  /** The number of a licence, and its cluster. */
  @Schema(name = "PutLicenceRequest")
  record PutLicenceRequest(
      @Schema(description = "Number of licences, 0 to 1000000") @Min(0) @Max(Licence.MOST)
          Integer count,
      @Schema(
              description =
                  "Name of the only cluster on which jobs can hold it. All clusters when"
                      + " absent")
          @DnsLabel
          @Nullable String cluster) {}

  @Operation(
      operationId = "listLicences",
      summary = "List licences",
      description = "Lists licences by name, with the amounts that jobs of all tenants hold.")
  @GetMapping
  Page<LicenceView> all(Actor actor) {
    return Page.whole(licences.all(actor));
  }

  @Operation(
      operationId = "putLicence",
      summary = "Create a licence, or set its number",
      description =
          "Jobs request a licence in their field licences, and hold it from the start of an"
              + " attempt to its end, on all clusters together or only on its cluster. Jobs that"
              + " request a licence of a cluster must name that cluster, and no other, in"
              + " placement.clusters. If the number is lower than the licences held, running "
              + "jobs continue and no new job with the licence starts.")
  @PutBody("/{licence}")
  LicenceView put(
      Actor actor,
      @PathVariable String licence,
      @RequestBody PutLicenceRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    Parameters.requireLabel("licence", licence, Names.LONGEST_LABEL);
    return licences.put(
        actor, new Licence(licence, request.count(), request.cluster()), options.validateOnly());
  }

  @Operation(
      operationId = "deleteLicence",
      summary = "Delete a licence",
      description =
          "Refused while jobs hold it. Jobs that wait for it continue to wait until it is"
              + " set again or they are cancelled.")
  @ApiResponse(responseCode = "204", description = "Licence deleted.")
  @DeleteMapping("/{licence}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String licence,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    licences.delete(actor, licence, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
