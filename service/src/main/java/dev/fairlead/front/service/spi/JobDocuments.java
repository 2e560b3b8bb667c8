package dev.fairlead.front.service.spi;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;

/** Reads job files. */
public interface JobDocuments {
  /**
   * Reads the spec like a submit to the project.
   *
   * @param json an object
   * @throws dev.fairlead.kernel.problem.Refusal for an invalid document, or one that the project
   *     does not allow
   */
  JobSpec read(Actor actor, String project, String json);
}
