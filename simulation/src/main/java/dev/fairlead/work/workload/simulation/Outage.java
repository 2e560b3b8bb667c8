package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.WorkloadView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The network between Fairlead and a cluster. During an outage the views do not change. */
final class Outage {
  private record Cut(Instant since, InventoryView inventory, WorkloadView workloads) {}

  private @Nullable Cut cut;
  private boolean answersLost;

  /** Freezes these views. A second outage changes nothing. */
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

  /** Returns whether an order reaches the cluster. */
  boolean reaches() {
    return cut == null || answersLost;
  }

  /** Returns whether the response to a command arrives. */
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

  /** The frozen inventory, empty without an outage. */
  Optional<InventoryView> inventory() {
    return Optional.ofNullable(cut).map(Cut::inventory);
  }

  /** The frozen workloads, empty without an outage. */
  Optional<WorkloadView> workloadsSince(long revision) {
    return Optional.ofNullable(cut)
        .map(Cut::workloads)
        .map(last ->
            revision == last.revision()
                ? new WorkloadView(revision, false, Collections.emptySortedMap())
                : last);
  }
}
