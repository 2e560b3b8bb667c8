package dev.fairlead.care.health.repair;

import java.util.Optional;

/** Performs repair steps on machines. */
public interface RepairerCalls {
  /** Returns why the repairer is never called, such as an address that is not allowed. */
  Optional<String> refuses(Repairer repairer);

  /**
   * Calls the repairer once, for at most a few seconds. Must not be called inside a transaction.
   */
  RepairAnswer ask(RepairCall call);
}
