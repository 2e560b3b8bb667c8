package dev.fairlead.volume.web;

import dev.fairlead.body.Amounts;
import dev.fairlead.body.Body;
import dev.fairlead.body.BodyConverter;
import dev.fairlead.body.FieldProblems;
import dev.fairlead.body.Fields;
import dev.fairlead.body.Names;
import dev.fairlead.resources.Quantity;
import dev.fairlead.tenant.Actor;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeAccess;
import dev.fairlead.volume.service.Volumes;
import dev.fairlead.web.ApiPaths;
import dev.fairlead.web.Etags;
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
import java.time.Instant;
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

/** Storage that projects ask for. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/projects/{project}/volumes",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Volumes")
class VolumeController {
  private final Volumes volumes;

  VolumeController(Volumes volumes) {
    this.volumes = volumes;
  }

  /**
   * A volume.
   *
   * @param size such as 100Gi
   * @param storageClass null for the default class of the cluster
   */
  @Schema(name = "VolumeResponse")
  record VolumeResponse(
      String name,
      String size,
      @Nullable String storageClass,
      VolumeAccess access,
      Instant createdAt,
      Instant updatedAt,
      String updatedBy,
      long version) {
    static VolumeResponse of(Volume volume) {
      return new VolumeResponse(
          volume.name(),
          Quantity.ofMebibytes(volume.claim().sizeMiB()),
          volume.claim().storageClass(),
          volume.claim().access(),
          volume.createdAt(),
          volume.changed().at(),
          volume.changed().by(),
          volume.version());
    }
  }

  /** What is asked for. */
  @Schema(name = "PutVolumeRequest")
  record PutVolumeRequest(
      @Schema(description = "4Mi to 1Pi, rounded up to whole MiB", example = "100Gi") String size,
      @Schema(description = "Name of a StorageClass; the default one of the cluster when absent")
          @Nullable String storageClass,
      @Schema(description = "READ_WRITE_ONCE when absent: one node at a time")
          @Nullable VolumeAccess access) {}

  @Operation(
      operationId = "listVolumes",
      summary = "List volumes of a project",
      description = "By name.")
  @GetMapping
  Page<VolumeResponse> all(Actor actor, @PathVariable String project) {
    return Page.whole(volumes.all(actor, project).stream().map(VolumeResponse::of).toList());
  }

  @Operation(
      operationId = "getVolume",
      summary = "Read a volume",
      description = "What it asks for, and its last change.")
  @GetMapping("/{volume}")
  ResponseEntity<VolumeResponse> one(
      Actor actor, @PathVariable String project, @PathVariable String volume) {
    return answer(volumes.one(actor, project, volume));
  }

  @Operation(
      operationId = "putVolume",
      summary = "Make a volume, or replace what it asks for",
      description =
          "A volume is kept and stands on no cluster; jobs cannot name it yet, and mount claims. What"
              + " is absent in a replacement goes back to its default. If-Match is optional.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = PutVolumeRequest.class))))
  @PutMapping(
      path = "/{volume}",
      consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<VolumeResponse> put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options,
      @RequestBody Body body) {
    if (!Names.isLabel(volume, Names.LONGEST_LABEL)) {
      throw Parameters.refused(
          "volume",
          "must be a DNS label: at most 63 lower case letters, digits and -, beginning and ending"
              + " with a letter or digit");
    }
    Volume.Claim claim = claim(body);
    Long expected = expected(actor, project, volume, options);
    return answer(volumes.put(actor, project, volume, claim, expected, options.validateOnly()));
  }

  private static Volume.Claim claim(Body body) {
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    long size = fields.required("size", "such as 100Gi.").flatMap(Amounts::storageMiB).orElse(0L);
    String storageClass = fields.get("storageClass").flatMap(Names::subdomain).orElse(null);
    VolumeAccess access =
        fields
            .get("access")
            .flatMap(v -> v.choice(VolumeAccess.class))
            .orElse(VolumeAccess.READ_WRITE_ONCE);
    fields.done();
    problems.refuse();
    return new Volume.Claim(size, storageClass, access);
  }

  @Operation(
      operationId = "deleteVolume",
      summary = "Delete a volume",
      description = "No cluster has it, so no data goes.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{volume}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Long expected = expected(actor, project, volume, options);
    volumes.delete(actor, project, volume, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private @Nullable Long expected(
      Actor actor, String project, String volume, WriteOptions options) {
    return options.ifGiven(() -> volumes.one(actor, project, volume).version());
  }

  private static ResponseEntity<VolumeResponse> answer(Volume volume) {
    return ResponseEntity.ok().eTag(Etags.of(volume.version())).body(VolumeResponse.of(volume));
  }
}
