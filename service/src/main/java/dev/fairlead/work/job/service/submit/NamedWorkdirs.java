package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workdir.WorkdirStore;
import java.util.List;

/** Code that jobs name. */
final class NamedWorkdirs {
  private NamedWorkdirs() {}

  /**
   * @throws Refusal INVALID_FIELD for code that the project does not have
   */
  static void known(JobSpec spec, Project project, WorkdirStore workdirs) {
    WorkdirSpec code = spec.workdir();
    if (code != null && workdirs.find(project.tenant(), project.id(), code.digest()).isEmpty()) {
      throw unknown(code);
    }
  }

  /**
   * Claims the code of stored jobs in the open transaction.
   *
   * @throws Refusal INVALID_FIELD for code that was deleted since
   */
  static void claim(List<Job> jobs, WorkdirStore workdirs) {
    for (Job job : jobs) {
      WorkdirSpec code = job.spec().workdir();
      if (code != null && !workdirs.claim(job.tenant(), job.project(), job.id(), code.digest())) {
        throw unknown(code);
      }
    }
  }

  private static Refusal unknown(WorkdirSpec code) {
    return Refusal.field(
        "/workdir/digest",
        "The project has no code %s. Upload it with: fairlead run --workdir DIRECTORY"
            .formatted(code.digest()));
  }
}
