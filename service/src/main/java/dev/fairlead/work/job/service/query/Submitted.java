package dev.fairlead.work.job.service.query;

import dev.fairlead.work.job.Job;
import java.util.List;

/**
 * Result of a submit.
 *
 * @param warnings for the caller, such as that the job can never run on the current fleet
 * @param replayed whether it is the response of an earlier request with the same idempotency key
 */
public record Submitted(Job job, List<String> warnings, boolean replayed) {
  public Submitted {
    warnings = List.copyOf(warnings);
  }
}
