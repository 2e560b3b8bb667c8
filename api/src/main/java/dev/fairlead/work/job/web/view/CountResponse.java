package dev.fairlead.work.job.web.view;

import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.web.spec.GpuResponse;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Number of jobs with these values.
 *
 * @param group values of the requested groups, by name
 * @param gpus sum of the GPUs that one element of each job requests. Memory shares and slices are
 *     not counted
 */
public record CountResponse(SortedMap<String, String> group, long jobs, BigDecimal gpus) {
  /** One of state, queue, project and user. */
  public static JobCount.Group group(String name) {
    return Arrays.stream(JobCount.Group.values())
        .filter(group -> wire(group).equals(name))
        .findFirst()
        .orElseThrow(() ->
            Parameters.refused(
                "groupBy",
                "must be one of "
                    + String.join(
                        ", ",
                        Arrays.stream(JobCount.Group.values()).map(CountResponse::wire).toList())));
  }

  public static CountResponse of(JobCount count) {
    SortedMap<String, String> group = new TreeMap<>();
    count.group().forEach((by, value) -> group.put(wire(by), value));
    return new CountResponse(group, count.jobs(), GpuResponse.gpus(count.gpuMilli()));
  }

  private static String wire(JobCount.Group group) {
    return group.name().toLowerCase(Locale.ROOT);
  }
}
