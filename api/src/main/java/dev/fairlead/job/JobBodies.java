package dev.fairlead.job;

import dev.fairlead.body.Value;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.tenant.Actor;
import java.util.Optional;

/** Reads jobs that stand inside of other things, as people write them. */
public interface JobBodies {
  /**
   * The spec, as a submit to the project reads it; empty when a problem was noted.
   *
   * @throws dev.fairlead.problem.Refusal when it is larger than the project allows
   */
  Optional<JobSpec> read(Actor actor, String project, Value body);
}
