package dev.fairlead.data.transfer;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.RoleSpec.SecretKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Next step of a transfer, its job, and the interpretation of that job's end. Pure. */
public final class TransferPlan {
  /** Keys of the project secret, and variables of the job. */
  public static final List<String> KEYS = List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");

  private static final String MOUNTED = "/volume";
  private static final int TRIES = 4;

  /** Possible end causes of a copier that is killed, or has no bucket for a while. */
  private static final List<FailureCause> AGAIN =
      List.of(
          FailureCause.NODE_FAILURE,
          FailureCause.GPU_FAULT,
          FailureCause.CLUSTER_LOST,
          FailureCause.NETWORK,
          FailureCause.START_TIMEOUT,
          FailureCause.PLACEMENT_CONFLICT,
          FailureCause.OUT_OF_MEMORY,
          FailureCause.USER_ERROR);

  private static final long CPU_MILLI = 2000;
  private static final long MEMORY_MIB = 2048;
  private static final long SHM_MIB = 64;

  private TransferPlan() {}

  /** The due action. */
  public sealed interface Due {}

  /** Its job must be submitted. */
  public record Submit() implements Due {}

  /** The transfer waits for an event outside. */
  public record Wait(String why) implements Due {}

  /** It cannot continue. */
  public record Fail(String why) implements Due {}

  /**
   * Next step of a phase without a job.
   *
   * @param source its current row, null if it does not exist or the copy does not need it
   * @param target its current row, null if it does not exist
   * @param mounted whether a live attempt of another job mounts the source
   */
  public static Due due(
      Transfer transfer, @Nullable Volume source, @Nullable Volume target, boolean mounted) {
    Optional<String> gone = gone(transfer, source, target);
    if (gone.isPresent()) {
      return new Fail(gone.get());
    }
    if (source != null
        && transfer.phase() == TransferPhase.UPLOADING
        && source.request().access() == Volume.Access.READ_WRITE_ONCE
        && mounted) {
      return new Wait(
          "volume %s is ReadWriteOnce and mounted by a job: the copy begins when no job mounts it"
              .formatted(source.name()));
    }
    return new Submit();
  }

  /**
   * Why it cannot continue: the volume that its phase needs was deleted. The source is needed only
   * until the bucket has the whole copy.
   */
  public static Optional<String> gone(
      Transfer transfer, @Nullable Volume source, @Nullable Volume target) {
    return switch (transfer.phase()) {
      case UPLOADING -> unusable(Objects.requireNonNull(transfer.source()), source);
      case DOWNLOADING, VERIFYING, READY -> unusable(transfer.target(), target);
      case CLEANING, DROPPING, FAILED, CUT_OVER, IMPORTED, DROPPED -> Optional.empty();
    };
  }

  private static Optional<String> unusable(Transfer.Side side, @Nullable Volume volume) {
    if (volume == null || !volume.id().equals(side.volume())) {
      return Optional.of("volume %s was deleted".formatted(side.name()));
    }
    if (!side.name().equals(volume.name())) {
      return Optional.of(
          "volume %s has been named %s since another copy was cut over"
              .formatted(side.name(), volume.name()));
    }
    String why = volume.message() == null ? "" : ": " + volume.message();
    return volume.usable()
        ? Optional.empty()
        : Optional.of("volume %s is %s%s".formatted(volume.name(), volume.state(), why));
  }

  /**
   * Reason why the transfer cannot be dropped, empty if it can: the bucket has the only copy. A
   * verified target is retained, so it needs no refusal.
   *
   * @param source its current row, null if it does not exist
   */
  public static Optional<String> onlyCopy(Transfer transfer, @Nullable Volume source) {
    Transfer.Side of = transfer.source();
    if (of == null
        || !transfer.status().uploaded()
        || transfer.status().verified()
        || there(of, source)) {
      return Optional.empty();
    }
    return Optional.of(
        "volume %s is %s: the copied data may be the only copy"
            .formatted(of.name(), source == null ? "deleted" : source.state()));
  }

  /** Returns whether the target outlives a dropped transfer, because its source does not exist. */
  public static boolean keepsTarget(Transfer transfer, @Nullable Volume source) {
    Transfer.Side of = transfer.source();
    return of != null && transfer.status().verified() && !there(of, source);
  }

  private static boolean there(Transfer.Side side, @Nullable Volume volume) {
    return volume != null && volume.id().equals(side.volume()) && volume.usable();
  }

  /**
   * Reason why it cannot be resumed, empty if it can.
   *
   * @param source its current row, null if it does not exist
   * @param target its current row, null if it does not exist
   */
  public static Optional<String> notResumed(
      Transfer transfer, @Nullable Volume source, @Nullable Volume target) {
    if (transfer.phase() != TransferPhase.FAILED) {
      return Optional.of(
          "it is %s, and only a FAILED transfer can be resumed".formatted(transfer.phase()));
    }
    Optional<String> without = unusable(transfer.target(), target);
    Transfer.Side from = transfer.source();
    if (without.isPresent() || from == null || transfer.status().uploaded()) {
      return without;
    }
    return unusable(from, source);
  }

  /** A name unique among all jobs of all transfers. */
  static String jobName(Transfer transfer) {
    return mode(transfer) + "-" + transfer.id().bare();
  }

  /** Names of the jobs that write to the bucket or to the target. */
  public static List<String> workers(Transfer transfer) {
    return List.of("upload", "download", "verify", "import").stream()
        .map(mode -> mode + "-" + transfer.id().bare())
        .toList();
  }

  private static String mode(Transfer transfer) {
    return switch (transfer.phase()) {
      case UPLOADING -> "upload";
      case DOWNLOADING -> transfer.copies() ? "download" : "import";
      case VERIFYING -> "verify";
      case CLEANING, DROPPING -> "remove";
      case READY, FAILED, CUT_OVER, IMPORTED, DROPPED ->
          throw new IllegalStateException(transfer.id().text() + " has no job");
    };
  }

  /**
   * The job of its phase.
   *
   * @param program the copier's text
   */
  public static JobSpec job(Transfer transfer, ObjectStorePlace place, String program) {
    String mode = mode(transfer);
    List<VolumeSpec> mounts =
        switch (transfer.phase()) {
          case UPLOADING ->
              List.of(
                  VolumeSpec.ofVolume(
                      Objects.requireNonNull(transfer.source()).name(), MOUNTED, true));
          case DOWNLOADING, VERIFYING ->
              List.of(VolumeSpec.ofVolume(transfer.target().name(), MOUNTED, false));
          case CLEANING, DROPPING, READY, FAILED, CUT_OVER, IMPORTED, DROPPED -> List.of();
        };
    boolean there =
        transfer.phase() == TransferPhase.DOWNLOADING
            || transfer.phase() == TransferPhase.VERIFYING;
    String cluster = transfer.cluster();
    return JobSpec.of(
            jobName(transfer),
            transfer.queue(),
            List.of(
                role(transfer, place, CommandSpec.exec(List.of("python3", "-c", program, mode)))),
            new PreemptionSpec(true, Duration.ofSeconds(5), Duration.ZERO))
        .with()
        .placement(
            there && cluster != null
                ? PlacementSpec.ANYWHERE.with().clusters(List.of(cluster)).build()
                : PlacementSpec.ANYWHERE)
        .retry(new RetryPolicy(TRIES, AGAIN))
        .volumes(mounts)
        .build();
  }

  private static RoleSpec role(Transfer transfer, ObjectStorePlace place, CommandSpec command) {
    SortedMap<String, String> env =
        new TreeMap<>(
            Map.of(
                "FAIRLEAD_TRANSFER_ID", transfer.id().bare(),
                "FAIRLEAD_TRANSFER_ENDPOINT", place.endpoint(),
                "FAIRLEAD_TRANSFER_REGION", place.region(),
                "FAIRLEAD_TRANSFER_BUCKET", place.bucket(),
                "FAIRLEAD_TRANSFER_PREFIX", place.prefix() + "/" + transfer.project().bare(),
                "FAIRLEAD_TRANSFER_PATH_STYLE", String.valueOf(place.pathStyle()),
                "FAIRLEAD_TRANSFER_ROOT", MOUNTED,
                "FAIRLEAD_TRANSFER_ROUND", String.valueOf(transfer.status().round())));
    String uri = transfer.uri();
    if (uri != null) {
      env.put("FAIRLEAD_TRANSFER_SOURCE", uri);
    }
    SortedMap<String, SecretKey> secrets = new TreeMap<>();
    KEYS.forEach(key -> secrets.put(key, new SecretKey(place.secret(), key)));
    return RoleSpec.single(
        "worker", place.image(), command, env, secrets, CPU_MILLI, MEMORY_MIB, SHM_MIB);
  }

  /**
   * Result of its job, empty before the end.
   *
   * @param told last output of the program, empty if none
   */
  public static Optional<End> end(Transfer transfer, JobStatus job, String told) {
    return switch (job.state()) {
      case SUCCEEDED -> Optional.of(new End(succeeded(transfer), ""));
      case FAILED -> Optional.of(failed(transfer, why(job.failure(), told)));
      case CANCELLED -> Optional.of(failed(transfer, "its job was cancelled"));
      case QUEUED, ADMITTED, STARTING, RUNNING, SUSPENDED, CANCELLING -> Optional.empty();
    };
  }

  public record End(TransferEvent event, String message) {}

  private static TransferEvent succeeded(Transfer transfer) {
    return switch (transfer.phase()) {
      case UPLOADING -> TransferEvent.UPLOADED;
      case DOWNLOADING -> transfer.copies() ? TransferEvent.DOWNLOADED : TransferEvent.IMPORTED;
      case VERIFYING -> TransferEvent.VERIFIED;
      case CLEANING, DROPPING, READY, FAILED, CUT_OVER, IMPORTED, DROPPED -> TransferEvent.CLEANED;
    };
  }

  /** Data that remain in the bucket do not affect the copy. */
  public static End failed(Transfer transfer, String why) {
    boolean cleans =
        transfer.phase() == TransferPhase.CLEANING || transfer.phase() == TransferPhase.DROPPING;
    return cleans
        ? new End(TransferEvent.CLEANED, "staged objects were not deleted from the bucket: " + why)
        : new End(TransferEvent.FAILED, why);
  }

  private static String why(@Nullable Failure failure, String told) {
    String of = failure == null ? "its job failed" : failure.message();
    return told.isEmpty() ? of : told;
  }
}
