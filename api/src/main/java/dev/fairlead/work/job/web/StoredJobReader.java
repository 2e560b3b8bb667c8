package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.spec.JobSpec;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Reads stored jobs as a submit over HTTP does. */
@Component
class StoredJobReader implements JobReader {
  private final JobBodies jobs;

  StoredJobReader(JobBodies jobs) {
    this.jobs = jobs;
  }

  @Override
  public JobSpec read(Actor actor, String project, String json) {
    return jobs.stored(actor, project, json);
  }

  @Override
  public Map<String, Object> shown(String json) {
    return Body.object(json);
  }
}
