package dev.fairlead.front.web;

import dev.fairlead.body.BodyReader;
import dev.fairlead.body.FieldProblems;
import dev.fairlead.body.Value;
import dev.fairlead.front.JobDocuments;
import dev.fairlead.job.JobBodies;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.tenant.Actor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads what Jobs ask for as a submit over HTTP would, within the same bounds. */
@Component
class FrontDocumentReader implements JobDocuments {
  private final JobBodies jobs;

  FrontDocumentReader(JobBodies jobs) {
    this.jobs = jobs;
  }

  @Override
  public JobSpec read(Actor actor, String project, String json) {
    FieldProblems problems = new FieldProblems();
    try {
      Value body =
          BodyReader.json(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)))
              .value(problems);
      Optional<JobSpec> spec = jobs.read(actor, project, body);
      problems.refuse();
      return spec.orElseThrow();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
