package dev.fairlead.work.workload;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What a cluster says of the claim of a volume. */
public sealed interface VolumeOutcome {
  /**
   * It is there.
   *
   * @param uid its identity: another claim of the same name has another one
   * @param nodeLabels labels that a node needs to reach its data, empty where that is not known
   * @param message what it waits for, for people; null when nothing is known
   */
  record There(
      String uid, boolean bound, SortedMap<String, String> nodeLabels, @Nullable String message)
      implements VolumeOutcome {}

  /**
   * A cluster on which this database acts does not have the claim whose identity is known, or the
   * claim is being deleted.
   */
  record Lost(String message) implements VolumeOutcome {}

  /**
   * It was neither made nor seen.
   *
   * @param why never {@link ActionOutcome.Done}
   */
  record Not(ActionOutcome why) implements VolumeOutcome {}
}
