package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.spec.JobSpecReader;
import dev.fairlead.work.job.web.spec.SubmitJobRequest;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.job.web.spi.JobTemplates;
import dev.fairlead.work.spec.JobSpec;
import java.util.Optional;
import java.util.SortedSet;
import org.springframework.stereotype.Component;

/** Reads nested job specs like a submit. */
@Component
class JobBodyReader implements JobBodies {
  private final JobSpecReader specs;
  private final SubmitBodies submits;

  JobBodyReader(JobSpecReader specs, SubmitBodies submits) {
    this.specs = specs;
    this.submits = submits;
  }

  @Override
  public Optional<JobSpec> read(Actor actor, String project, Value body) {
    return allowed(specs.submitted(actor, project, body));
  }

  @Override
  public Optional<JobSpec> filled(Actor actor, String project, Value body) {
    Optional<NewJob> wanted = submits.request(actor, project).read(body);
    if (wanted.filter(job -> !job.named().isEmpty()).isEmpty()) {
      return allowed(wanted);
    }
    Value at = body.fields().flatMap(fields -> fields.get(JobTemplates.FIELD)).orElse(body);
    at.refuse(
        ProblemCode.INVALID_FIELD,
        "The job must have no dependsOn with names of jobs, also from its template",
        null);
    return Optional.empty();
  }

  private static Optional<JobSpec> allowed(Optional<NewJob> wanted) {
    Refusal refused = wanted.map(NewJob::refused).orElse(null);
    if (refused != null) {
      throw refused;
    }
    return wanted.map(NewJob::spec);
  }

  @Override
  public void check(Value body) {
    specs.check(body);
  }

  @Override
  public SortedSet<String> fields() {
    return SubmitJobRequest.fields();
  }
}
