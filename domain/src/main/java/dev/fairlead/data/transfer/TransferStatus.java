package dev.fairlead.data.transfer;

import dev.fairlead.kernel.identity.JobId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of a transfer that changes.
 *
 * @param job job of the phase, null before it is submitted
 * @param done bytes that the job of the phase has handled
 * @param total bytes to handle, 0 while unknown
 * @param message current wait or problem, empty if none
 * @param movedAt time of its last progress: a phase, a job, or bytes
 * @param uploadedAfter earliest time when the upload may have read, null before an upload
 * @param uploaded whether the bucket has, or had, all data of the source
 * @param verified whether the target had all data, read again and compared
 * @param writtenBy job that mounted the source for writing since the upload began, null if none
 * @param round number of times that it was resumed
 */
@RecordBuilder
public record TransferStatus(
    TransferPhase phase,
    @Nullable JobId job,
    long done,
    long total,
    String message,
    Instant movedAt,
    @Nullable Instant uploadedAfter,
    boolean uploaded,
    boolean verified,
    @Nullable String writtenBy,
    int round,
    @Nullable Instant endedAt)
    implements TransferStatusBuilder.With {
  public static TransferStatus first(TransferPhase phase, Instant now) {
    return TransferStatusBuilder.builder()
        .phase(phase)
        .job(null)
        .done(0)
        .total(0)
        .message("")
        .movedAt(now)
        .uploadedAfter(null)
        .uploaded(false)
        .verified(false)
        .writtenBy(null)
        .round(0)
        .endedAt(null)
        .build();
  }
}
