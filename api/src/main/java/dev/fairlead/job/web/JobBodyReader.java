package dev.fairlead.job.web;

import dev.fairlead.body.Value;
import dev.fairlead.job.JobBodies;
import dev.fairlead.job.service.NewJob;
import dev.fairlead.job.web.spec.JobSpecReader;
import dev.fairlead.problem.Refusal;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.tenant.Actor;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads jobs inside of other things as a submit would. */
@Component
class JobBodyReader implements JobBodies {
  private final JobSpecReader specs;

  JobBodyReader(JobSpecReader specs) {
    this.specs = specs;
  }

  @Override
  public Optional<JobSpec> read(Actor actor, String project, Value body) {
    Optional<NewJob> wanted = specs.submitted(actor, project, body);
    Refusal refused = wanted.map(NewJob::refused).orElse(null);
    if (refused != null) {
      throw refused;
    }
    return wanted.map(NewJob::spec);
  }
}
