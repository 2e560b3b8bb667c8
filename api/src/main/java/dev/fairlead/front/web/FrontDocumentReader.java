package dev.fairlead.front.web;

import dev.fairlead.front.service.spi.JobDocuments;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.spec.JobSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads the specs of front Jobs as a submit over HTTP does, within the same bounds. */
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
      Optional<JobSpec> spec = jobs.filled(actor, project, body);
      problems.refuse();
      return spec.orElseThrow();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
