package dev.fairlead.front;

import dev.fairlead.spec.JobSpec;
import dev.fairlead.tenant.Actor;

/** Reads jobs as people write them. */
public interface JobDocuments {
  /**
   * The spec, as a submit to the project reads it.
   *
   * @param json an object
   * @throws dev.fairlead.problem.Refusal what is wrong with it, or why the project does not allow
   *     it
   */
  JobSpec read(Actor actor, String project, String json);
}
