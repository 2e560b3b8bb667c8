package dev.fairlead.front.web;

import dev.fairlead.front.service.spi.JobDocuments;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.spec.JobSpec;
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
    return jobs.stored(actor, project, json);
  }
}
