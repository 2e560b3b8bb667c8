package dev.fairlead.job;

import java.util.List;

/** Whether a job could run at all as the fleet stands. Implemented where the engine is known. */
@FunctionalInterface
public interface FeasibilityCheck {
  /** Texts for the submitter; empty when nothing speaks against the job. */
  List<String> warnings(JobSpec spec);
}
