package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.spec.JobSpecReader;
import dev.fairlead.work.job.web.spi.JobTemplates;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads jobs of a submit, with or without a template. */
@Component
class SubmitBodies {
  private final JobSpecReader specs;
  private final JobTemplates templates;

  SubmitBodies(JobSpecReader specs, JobTemplates templates) {
    this.specs = specs;
    this.templates = templates;
  }

  /** Bodies of one request. */
  final class Request {
    private final Actor actor;
    private final String project;
    private final JobTemplates.Request used;

    private Request(Actor actor, String project) {
      this.actor = actor;
      this.project = project;
      this.used = templates.request(actor, project);
    }

    /**
     * Returns the job, empty if a problem was found.
     *
     * @throws dev.fairlead.kernel.problem.Refusal NOT_FOUND for a template that the project does
     *     not have
     */
    Optional<NewJob> read(Value body) {
      boolean named = body.isObject() && body.fields().flatMap(this::template).isPresent();
      return named
          ? used.fill(body).flatMap(filled -> read(body.problems(), filled))
          : specs.submitted(actor, project, body);
    }

    private Optional<Value> template(Fields job) {
      return job.get(JobTemplates.FIELD);
    }

    private Optional<NewJob> read(FieldProblems problems, JobTemplates.Filled filled) {
      FieldProblems found = new FieldProblems();
      Optional<NewJob> job = specs.submitted(actor, project, filled.body().in(found));
      found
          .all()
          .forEach(each ->
              problems.add(
                  each.pointer(),
                  each.code(),
                  each.detail() + filled.origin().apply(each.pointer()),
                  each.suggestion()));
      return job.map(each -> each.labelled(filled.labels()));
    }
  }

  Request request(Actor actor, String project) {
    return new Request(actor, project);
  }
}
