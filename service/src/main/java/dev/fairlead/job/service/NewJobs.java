package dev.fairlead.job.service;

import dev.fairlead.identity.IdSource;
import dev.fairlead.job.ArrayProgress;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobSpec;
import dev.fairlead.job.Run;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Project;
import java.time.Instant;

/** Makes jobs of specs: name and queue filled in, dependencies known. */
class NewJobs {
  private final IdSource ids;
  private final SubmitRules rules;

  NewJobs(IdSource ids, SubmitRules rules) {
    this.ids = ids;
    this.rules = rules;
  }

  Job of(Actor actor, Project project, SubmitRules.Queues queues, NewJob wanted, Instant now) {
    JobId id = new JobId(ids.next());
    QuotaNode queue = queues.of(wanted.spec());
    rules.dependencies(actor, wanted.spec());
    rules.models(wanted.spec());
    JobSpec spec =
        wanted
            .spec()
            .named(wanted.spec().name().isEmpty() ? id.bare() : wanted.spec().name(), queue.name());
    ArrayProgress array = spec.array() == null ? null : ArrayProgress.of(spec.array());
    return new Job(
        id,
        actor.tenant(),
        project.id(),
        queue.id(),
        spec.name(),
        actor.name(),
        spec,
        spec.priorityClass().value(),
        now,
        Run.queued(now),
        array,
        1);
  }
}
