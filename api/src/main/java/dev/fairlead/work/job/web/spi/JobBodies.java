package dev.fairlead.work.job.web.spi;

import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;
import java.util.Optional;
import java.util.SortedSet;

/** Reads jobs that stand inside of other things, as people write them. */
public interface JobBodies {
  /**
   * The spec, as a submit to the project reads it; empty when a problem was noted.
   *
   * @throws dev.fairlead.kernel.problem.Refusal when it is larger than the project allows
   */
  Optional<JobSpec> read(Actor actor, String project, Value body);

  /**
   * Reads a spec of no project, without the limits of projects. Problems go to the list of the
   * value.
   */
  void check(Value body);

  /** Names of the fields of a spec. */
  SortedSet<String> fields();
}
