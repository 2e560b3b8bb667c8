package dev.fairlead.work.job.service;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.JobSpec;
import java.util.Optional;
import org.springframework.stereotype.Service;

/** Submits and cancels Fairlead's own jobs like any other job. */
@Service
public class JobSubmitCommands implements JobSubmits {
  private final JobCommands commands;
  private final JobControl control;

  public JobSubmitCommands(JobCommands commands, JobControl control) {
    this.commands = commands;
    this.control = control;
  }

  @Override
  public void check(Actor actor, String project, JobSpec spec) {
    Submitted _ = commands.submit(actor, project, new NewJob(spec), null, true);
  }

  @Override
  public JobId submit(Actor actor, String project, JobSpec spec, String key) {
    return commands
        .submit(actor, project, new NewJob(spec), new RequestKey(key, key), false)
        .job()
        .id();
  }

  @Override
  public Optional<JobId> submitted(Actor actor, String key) {
    return commands.submitted(actor, new RequestKey(key, key));
  }

  @Override
  public Prepared prepared(Actor actor, String project, JobSpec spec) {
    return commands.prepared(actor, project, new NewJob(spec));
  }

  @Override
  public void cancel(Actor actor, JobId job) {
    Job _ = commands.cancel(actor, job);
  }

  @Override
  public void suspend(Actor actor, JobId job, boolean back) {
    JobControl.Order order = new JobControl.Order(actor, job, null, false);
    Job _ = back ? control.suspend(order) : control.resume(order);
  }
}
