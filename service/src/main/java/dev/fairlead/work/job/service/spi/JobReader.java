package dev.fairlead.work.job.service.spi;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;
import java.util.Map;

/** Reads jobs that are stored as a part of a schedule or a warm pool. */
public interface JobReader {
  /**
   * Reads the job as a submit to the project does, and fills its template.
   *
   * @param json the stored job
   * @throws dev.fairlead.kernel.problem.Refusal as a submit of the job
   */
  JobSpec read(Actor actor, String project, String json);

  /** The job as a tree, for responses. */
  Map<String, Object> shown(String json);
}
