package dev.fairlead.data.transfer;

import static dev.fairlead.data.transfer.TransferPhase.CLEANING;
import static dev.fairlead.data.transfer.TransferPhase.CUT_OVER;
import static dev.fairlead.data.transfer.TransferPhase.DOWNLOADING;
import static dev.fairlead.data.transfer.TransferPhase.DROPPED;
import static dev.fairlead.data.transfer.TransferPhase.DROPPING;
import static dev.fairlead.data.transfer.TransferPhase.FAILED;
import static dev.fairlead.data.transfer.TransferPhase.IMPORTED;
import static dev.fairlead.data.transfer.TransferPhase.READY;
import static dev.fairlead.data.transfer.TransferPhase.UPLOADING;
import static dev.fairlead.data.transfer.TransferPhase.VERIFYING;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lifecycle.TransitionTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a volume to another cluster through a bucket, or an import of a prefix of a bucket into
 * a volume. Each phase that works is one job.
 *
 * @param source the volume that is copied. Null of an import
 * @param uri URI of the prefix that is imported, {@code s3://bucket/prefix}. Null of a copy
 * @param target the volume that receives the data
 * @param cluster name of the target's cluster, null for any
 * @param queue queue of its jobs, empty for the default of the project
 * @param version rises with each change, from 1
 */
@RecordBuilder
public record Transfer(
    TransferId id,
    TenantId tenant,
    ProjectId project,
    @Nullable Side source,
    @Nullable String uri,
    Side target,
    @Nullable String cluster,
    String queue,
    Instant createdAt,
    String createdBy,
    TransferStatus status,
    long version)
    implements TransferBuilder.With {
  /** Transfers of one project that have not ended. */
  public static final int MOST = 20;

  public static final TransitionTable<TransferPhase, TransferEvent> TABLE =
      TransitionTable.of(TransferPhase.class, TransferEvent.class)
          .on(TransferEvent.UPLOADED, DOWNLOADING, UPLOADING)
          .on(TransferEvent.DOWNLOADED, VERIFYING, DOWNLOADING)
          .on(TransferEvent.IMPORTED, IMPORTED, DOWNLOADING)
          .on(TransferEvent.VERIFIED, CLEANING, VERIFYING)
          .on(TransferEvent.CLEANED, READY, CLEANING)
          .on(TransferEvent.CLEANED, DROPPED, DROPPING)
          .on(TransferEvent.FAILED, FAILED, UPLOADING, DOWNLOADING, VERIFYING, READY)
          .on(TransferEvent.DROPPED, DROPPING, UPLOADING, DOWNLOADING, VERIFYING, READY, FAILED)
          .on(TransferEvent.CUT_OVER, CUT_OVER, READY)
          .on(TransferEvent.RESUMED_UPLOAD, UPLOADING, FAILED)
          .on(TransferEvent.RESUMED_DOWNLOAD, DOWNLOADING, FAILED)
          .build();

  /**
   * A volume of the transfer.
   *
   * @param volume its id, which distinguishes it from a later volume with its name
   * @param name its name at the start of the transfer
   */
  public record Side(UUID volume, String name) {}

  public TransferPhase phase() {
    return status.phase();
  }

  /** Job of the phase, null before it is submitted. */
  public @Nullable JobId job() {
    return status.job();
  }

  /** Returns whether data come from a volume. */
  public boolean copies() {
    return source != null;
  }

  public boolean has(UUID volume) {
    return target.volume().equals(volume) || (source != null && source.volume().equals(volume));
  }

  /** Returns whether the transfer's target has, or will have, a part of the data. */
  public boolean fills() {
    return !over() && !status.verified();
  }

  /** Returns whether the transfer has ended. */
  public boolean over() {
    return TABLE.terminal(phase());
  }

  /** Returns the transfer in its next phase, which has no job yet. */
  public Transfer after(TransferEvent event, String why, Instant now) {
    TransferPhase next = next(event);
    return next(
        status
            .with()
            .phase(next)
            .job(null)
            .done(0)
            .total(next.works() ? 0 : status.total())
            .message(why)
            .movedAt(now)
            .uploaded(status.uploaded() || (next == DOWNLOADING && copies()))
            .verified(status.verified() || next == CLEANING || next == READY)
            .endedAt(TABLE.terminal(next) ? now : null));
  }

  private TransferPhase next(TransferEvent event) {
    return TABLE
        .next(phase(), event)
        .orElseThrow(() -> new IllegalStateException(id.text() + ": " + event + " in " + phase()));
  }

  /** The transfer just before the job of its upload is submitted. */
  public Transfer uploadBegins(Instant now) {
    return next(status.with().uploadedAfter(now).writtenBy(null));
  }

  /** Returns the transfer with the job of its phase. */
  public Transfer running(JobId as, Instant now) {
    return next(status.with().job(as).done(0).message("").movedAt(now).endedAt(null));
  }

  /** The progress reported by its job. */
  public Transfer at(long bytes, long of, Instant now) {
    return next(status.with().done(bytes).total(of).movedAt(now).endedAt(null));
  }

  /**
   * Returns the transfer with a job that may have written data to the source that the copy lacks.
   */
  public Transfer written(String by) {
    return next(status.with().writtenBy(by));
  }

  /**
   * Returns the transfer without its job: an incomplete upload reads everything again, otherwise
   * the download continues.
   */
  public Transfer resumed(Instant now) {
    boolean again = copies() && !status.uploaded();
    TransferEvent event = again ? TransferEvent.RESUMED_UPLOAD : TransferEvent.RESUMED_DOWNLOAD;
    return next(
        status
            .with()
            .phase(next(event))
            .job(null)
            .done(0)
            .total(0)
            .message("")
            .movedAt(now)
            .uploadedAfter(again ? null : status.uploadedAfter())
            .writtenBy(again ? null : status.writtenBy())
            .round(status.round() + 1)
            .endedAt(null));
  }

  /** Returns the transfer with another message, which does not count as progress. */
  public Transfer told(String text) {
    return withStatus(status.withMessage(text));
  }

  /** Waiting for something. */
  public Transfer saying(String text) {
    return next(status.with().message(text).endedAt(null));
  }

  private Transfer next(TransferStatusBuilder changed) {
    return with().status(changed.build()).version(version + 1).build();
  }
}
