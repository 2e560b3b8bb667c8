package dev.fairlead.work.job.service;

import dev.fairlead.work.job.Job;
import java.util.List;

/**
 * What came of a submit.
 *
 * @param warnings things the caller should know, such as that the job can never run as the fleet
 *     stands
 * @param replayed whether the answer is that of an earlier request with the same idempotency key
 */
public record Submitted(Job job, List<String> warnings, boolean replayed) {
  public Submitted {
    warnings = List.copyOf(warnings);
  }
}
