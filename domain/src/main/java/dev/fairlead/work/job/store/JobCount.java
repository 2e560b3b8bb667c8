package dev.fairlead.work.job.store;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Jobs that have the same values of some groups.
 *
 * @param group value by dimension. The id for a project
 * @param gpuMilli sum of the milli-GPUs that one element of each requests. Memory shares and slices
 *     are not counted, because their device is not known before they are placed
 */
public record JobCount(SortedMap<Group, String> group, long jobs, long gpuMilli) {
  /** Dimensions by which jobs can be counted. */
  public enum Group {
    STATE,
    QUEUE,
    PROJECT,
    USER
  }

  public JobCount {
    group = Collections.unmodifiableSortedMap(new TreeMap<>(group));
  }
}
