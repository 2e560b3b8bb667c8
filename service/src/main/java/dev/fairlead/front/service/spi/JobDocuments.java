package dev.fairlead.front.service.spi;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;

/** Reads jobs as people write them. */
public interface JobDocuments {
  /**
   * The spec, as a submit to the project reads it.
   *
   * @param json an object
   * @throws dev.fairlead.kernel.problem.Refusal what is wrong with it, or why the project does not
   *     allow it
   */
  JobSpec read(Actor actor, String project, String json);
}
