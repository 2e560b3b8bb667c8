package dev.fairlead.work.schedule.service;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;
import java.util.Map;

/** Reads the jobs of schedules. */
public interface ScheduleJobs {
  /**
   * Reads the job as a submit to the project does, and fills its template.
   *
   * @param json job of a schedule
   * @throws dev.fairlead.kernel.problem.Refusal as a submit of the job
   */
  JobSpec read(Actor actor, String project, String json);

  /** The job as a tree, for responses. */
  Map<String, Object> shown(String json);
}
