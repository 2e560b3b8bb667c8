package dev.fairlead.job;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Whether a job could run at all as the fleet stands. Implemented where the engine is known. */
@FunctionalInterface
public interface FeasibilityCheck {
  /** Texts for the submitter; empty when nothing speaks against the job. */
  List<String> warnings(JobSpec spec);

  /** GPU models of the fleet; empty while it has none, so that any may be asked for. */
  default SortedSet<String> models() {
    return new TreeSet<>();
  }
}
