package dev.fairlead.work.workload;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** State of a volume's claim on a cluster. */
public sealed interface VolumeOutcome {
  /**
   * The volume exists.
   *
   * @param uid its identity: another claim of the same name has another one
   * @param nodeLabels labels that a node needs to reach its data, empty if unknown
   * @param message reason for its wait, human-readable, null if none
   */
  record There(
      String uid, boolean bound, SortedMap<String, String> nodeLabels, @Nullable String message)
      implements VolumeOutcome {}

  /**
   * A cluster on which this database acts lacks the claim with the known identity, or the claim is
   * being deleted.
   */
  record Lost(String message) implements VolumeOutcome {}

  /**
   * The claim was neither created nor found.
   *
   * @param why never {@link ActionOutcome.Done}
   */
  record Not(ActionOutcome why) implements VolumeOutcome {}
}
