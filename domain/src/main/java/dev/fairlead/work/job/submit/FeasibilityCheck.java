package dev.fairlead.work.job.submit;

import dev.fairlead.work.job.Job;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks whether a job could ever run on the current fleet. Implemented where the engine is known.
 */
@FunctionalInterface
public interface FeasibilityCheck {
  /**
   * Checks against the current fleet. May take a quarter of a second: once for a request, and
   * outside its transaction.
   */
  OfFleet now();

  /**
   * Like {@link #now}, by all that was committed before this call: for a job that names what {@link
   * #now} does not show.
   */
  default OfFleet afresh() {
    return now();
  }

  /** Checks jobs against the fleet that was read. */
  @FunctionalInterface
  interface OfFleet {
    /** Texts for the submitter, empty when the job is feasible. */
    List<String> warnings(Job job);

    /** Clusters with a backend that cannot start jobs, with the reason by name. */
    default SortedMap<String, String> stoppedBackends() {
      return new TreeMap<>();
    }

    /** GPU models of the fleet, empty while it has none, so that any may be requested. */
    default SortedSet<String> models() {
      return new TreeSet<>();
    }
  }
}
