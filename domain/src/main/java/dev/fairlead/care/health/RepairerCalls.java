package dev.fairlead.care.health;

import java.util.Optional;

/** What does the steps of repairs to machines. */
public interface RepairerCalls {
  /** Why the repairer there is never asked, such as an address that is not allowed. */
  Optional<String> refuses(Repairer repairer);

  /** Asks once, for some seconds at most. Not inside a transaction. */
  RepairAnswer ask(RepairCall call);
}
