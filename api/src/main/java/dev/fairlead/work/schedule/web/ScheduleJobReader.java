package dev.fairlead.work.schedule.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.schedule.service.ScheduleJobs;
import dev.fairlead.work.spec.JobSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reads the jobs of schedules as a submit over HTTP does. */
@Component
class ScheduleJobReader implements ScheduleJobs {
  private final JobBodies jobs;

  ScheduleJobReader(JobBodies jobs) {
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

  @Override
  public Map<String, Object> shown(String json) {
    return Body.object(json);
  }
}
