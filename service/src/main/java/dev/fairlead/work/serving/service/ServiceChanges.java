package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.serving.ServiceState;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Changes of model services, which race with the loop that runs them. */
final class ServiceChanges {
  private static final int MOST_RACES = 10;

  private ServiceChanges() {}

  /**
   * Repeats a change that the loop overtook.
   *
   * @param in runs the change in a transaction
   */
  static ModelServiceView changed(
      ModelServices.Name name, Consumer<Runnable> in, Supplier<ModelServiceView> change) {
    for (int tries = 1; ; tries++) {
      AtomicReference<ModelServiceView> view = new AtomicReference<>();
      try {
        in.accept(() -> view.set(change.get()));
        return Objects.requireNonNull(view.get(), "the work was done");
      } catch (Conflict raced) {
        if (raced.guard() == Conflict.Guard.NAME_TAKEN) {
          throw ServiceRefusals.taken(raced.subject());
        }
        if (tries == MOST_RACES) {
          throw ServiceRefusals.mismatch(name);
        }
      }
    }
  }

  /** Details of the audit row of an order for a rollout. */
  static SortedMap<String, Object> detail(ServiceState before, ServiceState next) {
    SortedMap<String, Object> detail = detail(next.rollout() == null ? 0 : next.rollout().target());
    if (before.rollout() != null) {
      detail.put("share", before.rollout().share());
    }
    return detail;
  }

  /** Details of the audit row of a change to the version. */
  static SortedMap<String, Object> detail(int version) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("version", version);
    return detail;
  }
}
