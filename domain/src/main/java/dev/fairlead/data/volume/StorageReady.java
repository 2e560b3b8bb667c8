package dev.fairlead.data.volume;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether the volumes that a job mounts are bound, as given by the volume that is least ready.
 *
 * @param reason STORAGE while a volume is pending, otherwise the state of the volume
 * @param message description
 * @param since start of this state
 */
public record StorageReady(boolean ready, String reason, String message, Instant since) {
  /** Reason of a pending volume. */
  public static final String STORAGE = "STORAGE";

  /**
   * The result is empty if the job mounts no volumes.
   *
   * @param names names of the volumes that the job mounts
   * @param found existing volumes of its project
   * @param clusters names of clusters
   * @param from time from which the job needs them
   */
  public static Optional<StorageReady> of(
      SortedSet<String> names,
      Collection<Volume> found,
      Function<ClusterId, String> clusters,
      Instant from) {
    for (String name : names) {
      if (found.stream().noneMatch(volume -> volume.name().equals(name))) {
        return Optional.of(not("Missing", "volume %s no longer exists".formatted(name), from));
      }
    }
    return found.stream()
        .filter(volume -> names.contains(volume.name()))
        .map(volume -> of(volume, on(volume, clusters), from))
        .min(
            Comparator.comparing(StorageReady::ready)
                .thenComparing(each -> each.reason.equals(STORAGE))
                .thenComparing(StorageReady::since, Comparator.reverseOrder())
                .thenComparing(StorageReady::message));
  }

  private static String on(Volume volume, Function<ClusterId, String> clusters) {
    ClusterId cluster = volume.cluster();
    return cluster == null ? "no cluster" : clusters.apply(cluster);
  }

  private static StorageReady of(Volume volume, String cluster, Instant from) {
    String name = volume.name();
    Instant missing = volume.missingSince();
    if (missing != null && volume.claimed()) {
      return not(
          STORAGE,
          "the claim of volume %s is missing on %s%s".formatted(name, cluster, told(volume)),
          missing);
    }
    return switch (volume.state()) {
      case CLAIMED ->
          not(
              STORAGE,
              "volume %s is created on the cluster of its first job".formatted(name),
              from);
      case PLACED ->
          not(
              STORAGE,
              "the claim of volume %s will be created on %s".formatted(name, cluster),
              from);
      case PROVISIONING ->
          not(
              STORAGE,
              "volume %s is being provisioned on %s%s".formatted(name, cluster, told(volume)),
              at(volume.provisionedAt(), from));
      case BOUND ->
          new StorageReady(
              true,
              "Bound",
              "volume %s is bound on %s%s".formatted(name, cluster, told(volume)),
              at(volume.boundAt(), from));
      case LOST -> not("Lost", "volume %s is lost%s".formatted(name, told(volume)), from);
      case RETAINED, RELEASED -> not("Deleted", "volume %s was deleted".formatted(name), from);
    };
  }

  private static String told(Volume volume) {
    return volume.message() == null ? "" : ": " + volume.message();
  }

  private static Instant at(@Nullable Instant known, Instant otherwise) {
    return known == null ? otherwise : known;
  }

  private static StorageReady not(String reason, String message, Instant since) {
    return new StorageReady(false, reason, message, since);
  }
}
