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
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a volume to another cluster through a bucket, or an import of a prefix of a bucket into
 * a volume. Each phase that works is one job.
 *
 * @param source the volume that is copied. Null of an import
 * @param uri of the prefix that is imported, {@code s3://bucket/prefix}. Null of a copy
 * @param target the volume that receives the data
 * @param cluster name of the target's cluster, null for any
 * @param queue of its jobs, empty for the default of the project
 * @param job of the phase, null before it is submitted
 * @param done bytes that the job of the phase has handled
 * @param total bytes to handle, 0 while unknown
 * @param message current wait or problem, empty for none
 * @param movedAt time of its last progress: a phase, a job, or bytes
 * @param uploadedAfter the upload read nothing before that time, null before there was one
 * @param uploaded whether the bucket has, or had, all data of the source
 * @param verified whether the target had all data, read again and compared
 * @param writtenBy job that mounted the source for writing since the upload began, null for none
 * @param round number of times that it was resumed
 * @param version rises with each change, from 1
 */
public record Transfer(
    TransferId id,
    TenantId tenant,
    ProjectId project,
    @Nullable Side source,
    @Nullable String uri,
    Side target,
    @Nullable String cluster,
    String queue,
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
    Instant createdAt,
    String createdBy,
    @Nullable Instant endedAt,
    long version) {
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
   * A volume of it.
   *
   * @param volume its id, which distinguishes it from a later volume with its name
   * @param name its name at the start of the transfer
   */
  public record Side(UUID volume, String name) {}

  /** Whether data come from a volume. */
  public boolean copies() {
    return source != null;
  }

  /** Whether it has the volume as its source or its target. */
  public boolean has(UUID volume) {
    return target.volume().equals(volume) || (source != null && source.volume().equals(volume));
  }

  /** Whether its target has, or will have, a part of the data. */
  public boolean fills() {
    return !over() && !verified;
  }

  /** Whether it has ended. */
  public boolean over() {
    return TABLE.terminal(phase);
  }

  /** In the next phase, which has no job yet. */
  public Transfer after(TransferEvent event, String why, Instant now) {
    TransferPhase next = next(event);
    return with(
        next, null, 0, next.works() ? 0 : total, why, now, TABLE.terminal(next) ? now : null);
  }

  private TransferPhase next(TransferEvent event) {
    return TABLE
        .next(phase, event)
        .orElseThrow(() -> new IllegalStateException(id.text() + ": " + event + " in " + phase));
  }

  /** The transfer just before the job of its upload is submitted. */
  public Transfer uploadBegins(Instant now) {
    return copy(
        phase, job, done, total, message, movedAt, now, uploaded, verified, null, round, endedAt);
  }

  /** With the job of its phase. */
  public Transfer running(JobId as, Instant now) {
    return with(phase, as, 0, total, "", now, null);
  }

  /** The progress reported by its job. */
  public Transfer at(long bytes, long of, Instant now) {
    return with(phase, job, bytes, of, message, now, null);
  }

  /** With a job that may have written data to the source that the copy lacks. */
  public Transfer written(String by) {
    return copy(
        phase,
        job,
        done,
        total,
        message,
        movedAt,
        uploadedAfter,
        uploaded,
        verified,
        by,
        round,
        endedAt);
  }

  /**
   * With a new job: an incomplete upload reads everything again, otherwise the download continues.
   */
  public Transfer resumed(Instant now) {
    boolean again = copies() && !uploaded;
    TransferEvent event = again ? TransferEvent.RESUMED_UPLOAD : TransferEvent.RESUMED_DOWNLOAD;
    return copy(
        next(event),
        null,
        0,
        0,
        "",
        now,
        again ? null : uploadedAfter,
        uploaded,
        verified,
        again ? null : writtenBy,
        round + 1,
        null);
  }

  /** This transfer with another message, which is not progress. */
  public Transfer told(String text) {
    return new Transfer(
        id,
        tenant,
        project,
        source,
        uri,
        target,
        cluster,
        queue,
        phase,
        job,
        done,
        total,
        text,
        movedAt,
        uploadedAfter,
        uploaded,
        verified,
        writtenBy,
        round,
        createdAt,
        createdBy,
        endedAt,
        version);
  }

  /** Waiting for something. */
  public Transfer saying(String text) {
    return with(phase, job, done, total, text, movedAt, null);
  }

  private Transfer with(
      TransferPhase as,
      @Nullable JobId by,
      long bytes,
      long of,
      String text,
      Instant moved,
      @Nullable Instant ended) {
    return copy(
        as,
        by,
        bytes,
        of,
        text,
        moved,
        uploadedAfter,
        uploaded || (as == DOWNLOADING && source != null),
        verified || as == CLEANING || as == READY,
        writtenBy,
        round,
        ended);
  }

  private Transfer copy(
      TransferPhase as,
      @Nullable JobId by,
      long bytes,
      long of,
      String text,
      Instant moved,
      @Nullable Instant after,
      boolean all,
      boolean same,
      @Nullable String writer,
      int again,
      @Nullable Instant ended) {
    return new Transfer(
        id,
        tenant,
        project,
        source,
        uri,
        target,
        cluster,
        queue,
        as,
        by,
        bytes,
        of,
        text,
        moved,
        after,
        all,
        same,
        writer,
        again,
        createdAt,
        createdBy,
        ended,
        version + 1);
  }
}
