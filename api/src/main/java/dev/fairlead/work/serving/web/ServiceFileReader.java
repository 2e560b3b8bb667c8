package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServices;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.stereotype.Component;

/** Reads specs of ModelServices like a PUT, within the same bounds. */
@Component
class ServiceFileReader implements AppliedService.Reader {
  private final JobBodies jobs;

  ServiceFileReader(JobBodies jobs) {
    this.jobs = jobs;
  }

  @Override
  public AppliedService read(Actor actor, ModelServices.Name name, String json) {
    try {
      return PutModelServiceRequest.read(
          BodyReader.json(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8))),
          name,
          actor,
          jobs);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
