package dev.fairlead.data.volume.web;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.Volume.Access;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.service.Volumes;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Manages volumes of projects. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/volumes")
@Tag(name = "Volumes")
class VolumeController {
  private static final long MIB_OF_GIB = 1024;
  private static final String SIZE = "a size such as 100Gi, at least 1Gi and at most 1Pi";

  private final Volumes volumes;

  VolumeController(Volumes volumes) {
    this.volumes = volumes;
  }

  /**
   * A volume.
   *
   * @param size requested size, such as 100Gi
   * @param storageClass storage class, absent for the default of its cluster
   * @param access access mode: ReadWriteOnce, ReadWriteMany or ReadOnlyMany
   * @param retain whether its data is retained when it is deleted
   * @param cluster name of its cluster, absent while it is CLAIMED
   * @param namespace namespace of its claim on the cluster
   * @param claim name of its PersistentVolumeClaim, absent until it exists
   * @param claimUid UID of that claim
   * @param nodeLabels labels of the nodes that can reach its data, empty if all nodes of its
   *     cluster can
   * @param message error, or condition that the volume waits for
   */
  @RecordBuilder
  @Schema(name = "VolumeResponse")
  record VolumeResponse(
      String name,
      String size,
      @Nullable String storageClass,
      String access,
      boolean retain,
      VolumeState state,
      @Nullable String cluster,
      String namespace,
      @Nullable String claim,
      @Nullable String claimUid,
      @Nullable Instant boundAt,
      SortedMap<String, String> nodeLabels,
      @Nullable String message,
      Instant createdAt,
      String createdBy,
      long version) {
    static VolumeResponse of(Volumes.View shown) {
      Volume volume = shown.volume();
      return VolumeControllerVolumeResponseBuilder.builder()
          .name(volume.name())
          .size(volume.request().sizeGib() + "Gi")
          .storageClass(volume.request().storageClass())
          .access(volume.request().access().text())
          .retain(volume.retain())
          .state(volume.state())
          .cluster(shown.cluster())
          .namespace(shown.namespace())
          .claim(volume.claimUid() == null ? null : volume.claimName())
          .claimUid(volume.claimUid())
          .boundAt(volume.boundAt())
          .nodeLabels(volume.nodeLabels())
          .message(volume.message())
          .createdAt(volume.made().at())
          .createdBy(volume.made().by())
          .version(volume.version())
          .build();
    }
  }

  /**
   * A new volume.
   *
   * @param size size in whole GiB, such as 100Gi, at least 1Gi and at most 1Pi
   * @param storageClass storage class of its future cluster, the default of the cluster when absent
   * @param access access mode: ReadWriteOnce (default), ReadWriteMany or ReadOnlyMany
   * @param retain whether its data is retained when it is deleted, true when absent
   */
  @Schema(name = "PutVolumeRequest")
  record PutVolumeRequest(
      @Schema(implementation = String.class) @JsonDeserialize(using = Gib.class) Long size,
      @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
          @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
          @Nullable String storageClass,
      @Schema(
              implementation = String.class,
              allowableValues = {"ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"})
          @JsonDeserialize(using = AccessReader.class)
          @Nullable Access access,
      @Nullable Boolean retain) {
    private Volume.Request request() {
      return new Volume.Request(
          size, storageClass, access == null ? Access.READ_WRITE_ONCE : access);
    }
  }

  /** Reads a size in whole GiB. */
  static final class Gib extends FieldReader<Long> {
    @Override
    protected Optional<Long> read(Value value) {
      return value
          .quantityText()
          .flatMap(text -> {
            Optional<Long> mib = Quantity.mebibytes(text);
            long gib = mib.orElse(0L) / MIB_OF_GIB;
            boolean whole = mib.isPresent() && mib.get() == gib * MIB_OF_GIB;
            return whole && gib >= 1 && gib <= Volume.Request.MOST_GIB
                ? Optional.of(gib)
                : value.bad("must be " + SIZE + ", not " + value.shown(), "100Gi");
          });
    }
  }

  /** Reads a Kubernetes access mode. */
  static final class AccessReader extends FieldReader<Access> {
    @Override
    protected Optional<Access> read(Value value) {
      return value.named(List.of(Access.values()), Access::text);
    }
  }

  @Operation(
      operationId = "listVolumes",
      summary = "List volumes of a project",
      description =
          "Lists volumes by name, including deleted volumes whose claim remains on a" + " cluster.")
  @GetMapping
  Page<VolumeResponse> all(Actor actor, @PathVariable String project) {
    return Page.whole(volumes.all(actor, project).stream().map(VolumeResponse::of).toList());
  }

  @Operation(
      operationId = "getVolume",
      summary = "Read a volume",
      description = "Returns the state of the volume, its cluster, and its claim there.")
  @GetMapping("/{volume}")
  ResponseEntity<VolumeResponse> one(
      Actor actor, @PathVariable String project, @PathVariable String volume) {
    return answer(volumes.one(actor, project, volume));
  }

  @Operation(
      operationId = "putVolume",
      summary = "Create a volume",
      description =
          "The volume has no cluster until the first job that mounts it is placed. Later"
              + " jobs that mount it run on the same cluster. A volume cannot be changed:"
              + " repeating the same request has no effect, and a different request is refused.")
  @PutBody("/{volume}")
  ResponseEntity<VolumeResponse> put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options,
      @RequestBody PutVolumeRequest request) {
    Parameters.requireLabel("volume", volume, Volume.LONGEST_NAME);
    boolean retain = request.retain() == null || request.retain();
    return answer(
        volumes.claim(actor, project, volume, request.request(), retain, options.validateOnly()));
  }

  @Operation(
      operationId = "deleteVolume",
      summary = "Delete a volume",
      description =
          "Refused while an active job mounts the volume. A volume without a claim is"
              + " removed immediately. A volume with a claim becomes RETAINED, or RELEASED if"
              + " retain is false: no job can mount it, its claim and data stay on the cluster,"
              + " and it remains in the list. A second delete with If-Match removes it from the"
              + " list and leaves the claim on the cluster.")
  @ApiResponse(responseCode = "204", description = "Volume deleted.")
  @DeleteMapping("/{volume}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Long expected = options.ifGiven(() -> volumes.one(actor, project, volume).volume().version());
    volumes.delete(actor, project, volume, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static ResponseEntity<VolumeResponse> answer(Volumes.View shown) {
    return ResponseEntity.ok()
        .eTag(Etags.of(shown.volume().version()))
        .body(VolumeResponse.of(shown));
  }
}
