package dev.fairlead.placement.deserved;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One task of a job.
 *
 * @param group sub-group that it counts for
 * @param order higher first inside its job
 * @param needs base units of everything but GPUs, by resource
 * @param devices GPUs that it takes a part of; 0 = none
 * @param milli part of each, 1000 = whole; negative = device memory in MiB
 * @param charged base units that its queue is charged, by resource
 * @param claims devices that it shares with other tasks
 */
public record Part(
    String name,
    String group,
    int order,
    SortedMap<String, Long> needs,
    int devices,
    long milli,
    SortedMap<String, Long> charged,
    List<SharedClaim> claims) {
  public Part {
    needs = Collections.unmodifiableSortedMap(new TreeMap<>(needs));
    claims = List.copyOf(claims);
    charged = Collections.unmodifiableSortedMap(new TreeMap<>(charged));
  }
}
