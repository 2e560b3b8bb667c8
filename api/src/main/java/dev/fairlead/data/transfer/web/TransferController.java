package dev.fairlead.data.transfer.web;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.service.Transfers;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Copies volumes to other clusters, and imports data into volumes. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/volumes/{volume}/transfers")
@Tag(name = "Volumes")
class TransferController {
  private static final int LONGEST_URI = 1024;
  private static final java.util.regex.Pattern PREFIX =
      java.util.regex.Pattern.compile("s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\\p{Cntrl}]*)?");

  private final Transfers transfers;

  TransferController(Transfers transfers) {
    this.transfers = transfers;
  }

  /**
   * A copy of a volume, or an import into a volume.
   *
   * @param source name of the copied volume when the transfer began, absent for an import
   * @param from prefix of the imported objects, absent for a copy
   * @param target name of the target volume when the transfer began
   * @param cluster target cluster, absent for any cluster
   * @param phase progress of the transfer
   * @param job job of this phase, absent before it is submitted and in phases without a job
   * @param bytesDone bytes that the job of the phase has transferred
   * @param bytesTotal total bytes of the phase, 0 until the total is known
   * @param message error, or condition that the transfer waits for
   * @param writtenBy job that mounted the source for writing after the upload began. Its writes are
   *     not in the copy, so no cut-over is possible. Absent for none
   * @param movedAt time of the last progress
   */
  @RecordBuilder
  @Schema(name = "VolumeTransferResponse")
  record TransferResponse(
      String id,
      @Nullable String source,
      @Nullable String from,
      String target,
      @Nullable String cluster,
      TransferPhase phase,
      @Nullable String job,
      long bytesDone,
      long bytesTotal,
      String message,
      @Nullable String writtenBy,
      Instant movedAt,
      Instant createdAt,
      String createdBy,
      @Nullable Instant endedAt) {
    static TransferResponse of(Transfer transfer) {
      Transfer.Side source = transfer.source();
      JobId job = transfer.job();
      return TransferControllerTransferResponseBuilder.builder()
          .id(transfer.id().text())
          .source(source == null ? null : source.name())
          .from(transfer.uri())
          .target(transfer.target().name())
          .cluster(transfer.cluster())
          .phase(transfer.phase())
          .job(job == null ? null : job.text())
          .bytesDone(transfer.status().done())
          .bytesTotal(transfer.status().total())
          .message(transfer.status().message())
          .writtenBy(transfer.status().writtenBy())
          .movedAt(transfer.status().movedAt())
          .createdAt(transfer.createdAt())
          .createdBy(transfer.createdBy())
          .endedAt(transfer.status().endedAt())
          .build();
    }
  }

  /**
   * A new transfer: a copy with to, or an import with from.
   *
   * @param to name of the new volume of a copy
   * @param from prefix of a bucket to import, such as s3://bucket/prefix
   * @param cluster target cluster. Required for a copy. An import without it may use any cluster
   * @param storageClass storage class of the copy on the target cluster, the default of the cluster
   *     when absent
   * @param queue queue of the jobs of the transfer, the default of the project when absent
   */
  @Schema(name = "CreateVolumeTransferRequest")
  record CreateTransferRequest(
      @DnsLabel(max = Volume.LONGEST_NAME) @Nullable String to,
      @JsonDeserialize(using = PrefixReader.class) @Nullable String from,
      @DnsLabel @Nullable String cluster,
      @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
          @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
          @Nullable String storageClass,
      @DnsLabel @Nullable String queue)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (given.contains("from")) {
        for (String field : List.of("to", "storageClass")) {
          if (given.contains(field)) {
            conflicts.put(field, "is a field of a copy: remove it, or remove from");
          }
        }
        return conflicts;
      }
      if (!given.contains("to")) {
        conflicts.put(
            "to",
            "is missing: name of the volume that the copy creates. For an import, set from to its"
                + " source instead");
      }
      if (!given.contains("cluster")) {
        conflicts.put("cluster", "is missing: name of the target cluster");
      }
      return conflicts;
    }

    private Transfers.Request request() {
      return new Transfers.Request(
          from, to, cluster, storageClass, Objects.requireNonNullElse(queue, ""));
    }
  }

  /** Reads a prefix of a bucket. */
  static final class PrefixReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(LONGEST_URI)
          .flatMap(text ->
              PREFIX.matcher(text).matches()
                  ? Optional.of(text)
                  : value.bad("must be s3://, a bucket and a prefix in it", "s3://acme/images"));
    }
  }

  @Operation(
      operationId = "listVolumeTransfers",
      summary = "List transfers of a volume",
      description =
          "Lists transfers from and to the volume, newest first. Ended transfers are stored"
              + " for a year.")
  @GetMapping
  Page<TransferResponse> all(
      Actor actor, @PathVariable String project, @PathVariable String volume) {
    return Page.whole(
        transfers.all(actor, project, volume).stream().map(TransferResponse::of).toList());
  }

  @Operation(
      operationId = "createVolumeTransfer",
      summary = "Copy a volume to another cluster, or import into it",
      description =
          "With to and cluster, copies the volume through the transfer bucket of the"
              + " installation into a new volume on that cluster. Jobs continue to mount the"
              + " original volume until the cut-over. With from, imports the objects of a prefix"
              + " into the volume, which must be CLAIMED. Each phase is a job of the project,"
              + " which needs the secret with the keys of the bucket. Refused with ILLEGAL_STATE"
              + " if no operator has set a bucket.")
  @ApiResponse(responseCode = "201", description = "Transfer started.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<TransferResponse> create(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @RequestBody CreateTransferRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    Transfer begun =
        transfers.begin(actor, project, volume, request.request(), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED).body(TransferResponse.of(begun));
  }

  @Operation(
      operationId = "cutOverVolumeTransfer",
      summary = "Cut over to a copy",
      description =
          "Exchanges the names of the volume and its copy in one transaction, so jobs that"
              + " mount the name run on the other cluster afterwards. Refused with IN_USE while a"
              + " live attempt mounts either volume, and with ILLEGAL_STATE unless the copy is"
              + " READY and no job has mounted the volume for writing since the copy began.")
  @PostMapping("/{transfer}/cut-over")
  TransferResponse cutOver(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @PathVariable String transfer,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return TransferResponse.of(
        transfers.cutOver(actor, project, volume, id(transfer), options.validateOnly()));
  }

  @Operation(
      operationId = "dropVolumeTransfer",
      summary = "Drop a transfer",
      description =
          "Cancels the job of the transfer, deletes its staged data from the bucket, and"
              + " deletes the volume that was created for a copy like any other. The volume is"
              + " retained if it has all the data and its source no longer exists. Refused with"
              + " ILLEGAL_STATE if the transfer has ended, or, without force, if the bucket may"
              + " have the only copy.")
  @DeleteMapping("/{transfer}")
  TransferResponse drop(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @PathVariable String transfer,
      @Parameter(
              description =
                  "Whether to drop the transfer even if the bucket may hold the only copy.")
          @RequestParam(defaultValue = "false")
          boolean force,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return TransferResponse.of(
        transfers.drop(actor, project, volume, id(transfer), force, options.validateOnly()));
  }

  @Operation(
      operationId = "resumeVolumeTransfer",
      summary = "Retry a failed transfer",
      description =
          "Submits another job for the transfer: in UPLOADING while the bucket does not"
              + " have the complete source volume, otherwise in DOWNLOADING, after which a copy is"
              + " verified again. Only data that is missing or differs is transferred. Refused"
              + " with ILLEGAL_STATE unless the transfer is FAILED, or if a required volume"
              + " no longer exists.")
  @PostMapping("/{transfer}/resume")
  TransferResponse resume(
      Actor actor,
      @PathVariable String project,
      @PathVariable String volume,
      @PathVariable String transfer,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return TransferResponse.of(
        transfers.resume(actor, project, volume, id(transfer), options.validateOnly()));
  }

  private static TransferId id(String text) {
    return new TransferId(ApiPaths.id(IdKind.TRANSFER, text));
  }
}
