package dev.fairlead.licence.web;

import dev.fairlead.body.Body;
import dev.fairlead.body.BodyConverter;
import dev.fairlead.body.FieldProblems;
import dev.fairlead.body.Fields;
import dev.fairlead.body.Names;
import dev.fairlead.licence.Licence;
import dev.fairlead.licence.LicenceUse;
import dev.fairlead.licence.service.Licences;
import dev.fairlead.tenant.Actor;
import dev.fairlead.web.ApiPaths;
import dev.fairlead.web.Page;
import dev.fairlead.web.Parameters;
import dev.fairlead.web.Takes;
import dev.fairlead.web.WriteOptions;
import dev.fairlead.web.WritePart;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Counted things that jobs hold and no node has. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/licences",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Licences")
class LicenceController {
  private final Licences licences;

  LicenceController(Licences licences) {
    this.licences = licences;
  }

  /**
   * A licence.
   *
   * @param count how many there are
   * @param cluster name of the only cluster on which it can be held, null for all together
   * @param held by all jobs together; above count after it was lowered
   * @param jobs attempts that hold it
   */
  @Schema(name = "LicenceResponse")
  record LicenceResponse(String name, int count, @Nullable String cluster, long held, long jobs) {
    static LicenceResponse of(LicenceUse use) {
      return new LicenceResponse(
          use.licence().name(),
          use.licence().count(),
          use.licence().cluster(),
          use.held(),
          use.jobs());
    }
  }

  /** How many there are, and where they can be held. */
  @Schema(name = "PutLicenceRequest")
  record PutLicenceRequest(
      @Schema(description = "0 to 1000000") int count,
      @Schema(description = "Name of the only cluster on which it can be held; all when absent")
          @Nullable String cluster) {}

  @Operation(
      operationId = "listLicences",
      summary = "List licences",
      description = "By name, with what the jobs of all tenants hold.")
  @GetMapping
  Page<LicenceResponse> all(Actor actor) {
    return Page.whole(licences.all(actor).stream().map(LicenceResponse::of).toList());
  }

  @Operation(
      operationId = "putLicence",
      summary = "Add a licence, or set how many there are",
      description =
          "Jobs ask for it in licences, and hold it from the start of an attempt to its end, on all"
              + " clusters together or on its cluster alone; jobs that ask for one of a cluster have to"
              + " name that cluster, and no other, in placement.clusters. When fewer are set than are held, nothing is stopped, and"
              + " nothing new starts with it.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = PutLicenceRequest.class))))
  @PutMapping(
      path = "/{licence}",
      consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  LicenceResponse put(
      Actor actor,
      @PathVariable String licence,
      @RequestBody Body body,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    if (!Names.isLabel(licence, Names.LONGEST_LABEL)) {
      throw Parameters.refused(
          "licence",
          "must be a DNS label: at most 63 lower case letters, digits and -, beginning and ending"
              + " with a letter or digit");
    }
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    int count =
        fields
            .required("count", "how many there are.")
            .flatMap(v -> v.integer(0, Licence.MOST))
            .orElse(0);
    String cluster =
        fields.get("cluster").flatMap(v -> Names.label(v, Names.LONGEST_LABEL)).orElse(null);
    fields.done();
    problems.refuse();
    return LicenceResponse.of(
        licences.put(actor, new Licence(licence, count, cluster), options.validateOnly()));
  }

  @Operation(
      operationId = "deleteLicence",
      summary = "Delete a licence",
      description =
          "Refused while jobs hold it. Jobs that wait for it wait until it is set again or they are"
              + " cancelled.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{licence}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String licence,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    licences.delete(actor, licence, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
