package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.service.query.Submitted;

/** Result of one item of a batch. */
public sealed interface BatchResult {
  int index();

  /** Stored (or, in a dry run, acceptable). */
  record Accepted(int index, Submitted submitted) implements BatchResult {}

  /** Not stored. */
  record Refused(int index, Refusal refusal) implements BatchResult {}
}
