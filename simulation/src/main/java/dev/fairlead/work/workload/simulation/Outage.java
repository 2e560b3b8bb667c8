package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.WorkloadView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What stands between Fairlead and a cluster. While it is cut off, the last view is all there is.
 */
final class Outage {
  private record Cut(Instant since, InventoryView inventory, WorkloadView workloads) {}

  private @Nullable Cut cut;
  private boolean answersLost;

  /** From now on these views are what is seen; a second cut changes nothing. */
  void begin(Instant now, InventoryView inventory, WorkloadView complete) {
    cut = cut == null ? new Cut(now, inventory, complete) : cut;
  }

  void end() {
    cut = null;
  }

  void loseAnswers(boolean lost) {
    answersLost = lost;
  }

  boolean silent() {
    return cut != null;
  }

  /** Whether an order arrives at the cluster. */
  boolean reaches() {
    return cut == null || answersLost;
  }

  /** Whether the answer to an order arrives. */
  boolean answers() {
    return cut == null && !answersLost;
  }

  Contact contact(Instant now) {
    return cut == null
        ? new Contact(0, true, null)
        : new Contact(
            Duration.between(cut.since(), now).toMillis(),
            true,
            "the simulated cluster is cut off");
  }

  /** Empty while there is none. */
  Optional<InventoryView> inventory() {
    return Optional.ofNullable(cut).map(Cut::inventory);
  }

  /** Empty while there is none. */
  Optional<WorkloadView> workloadsSince(long revision) {
    return Optional.ofNullable(cut)
        .map(Cut::workloads)
        .map(last ->
            revision == last.revision()
                ? new WorkloadView(revision, false, Collections.emptySortedMap())
                : last);
  }
}
