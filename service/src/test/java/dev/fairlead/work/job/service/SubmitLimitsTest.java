package dev.fairlead.work.job.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Limits on the jobs of a project, a tenant and a user. */
class SubmitLimitsTest extends SubmitFixture {

  /** Fails when a repeated request is refused by a limit that was lowered since. */
  @Test
  void repeatedSubmitReturnsItsResponseBeforeItsSizeCounts() {
    JobSpec spec = Specs.job("large").build();
    Refusal size = new Refusal(ProblemCode.LIMIT_EXCEEDED, "too large");
    String project = world.project().name();
    RequestKey key = new RequestKey("once", "same");
    Submitted first = commands.submit(ana, project, new NewJob(spec), key, false);

    NewJob now = new NewJob(spec, List.of(), size);

    assertThat(commands.submit(ana, project, now, key, false).job().id())
        .isEqualTo(first.job().id());
    assertThatThrownBy(() -> commands.submit(ana, project, now, null, false)).isSameAs(size);
  }

  /** Fails when the limit of the project does not bound its active jobs. */
  @Test
  void jobsOfAProjectStayWithinItsLimit() {
    limit(world.project(), 1);
    submit("first", null);

    assertThatThrownBy(() -> submit("second", null))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED);
              assertThat(refusal)
                  .satisfies(problem("submit-limits.active-jobs-most-adds", 1, 1, 1))
                  .hasMessageContaining("limit activeJobs of the project");
            });
  }

  /** Fails when the jobs of other projects do not count in the limit of the tenant. */
  @Test
  void jobsOfAllProjectsOfATenantStayWithinItsLimit() {
    Project other = world.newProject("other");
    stores.transactions().run(() -> stores.tenants().insert(other));
    limit(null, 2);
    submit("first", null);
    commands.submit(ana, other.name(), named("second"), null, false);

    assertThatThrownBy(() -> commands.submit(ana, other.name(), named("third"), null, false))
        .hasMessageContainingAll(
            "2 active jobs", "at most 2", "activeJobs of the tenant", "operator");
  }

  /**
   * Fails when a user exceeds the queue's limit of waiting jobs, or other users are limited by it.
   */
  @Test
  void waitingJobsOfAUserStayWithinTheQueueLimit() {
    stores.transactions().run(() -> world.limitUsers(new UserLimits(null, null, 2, null)));
    submit("first", null);
    List<BatchResult> batch =
        commands.submitAll(
            ana,
            world.project().name(),
            List.of(named("second"), named("third")),
            false,
            null,
            false);

    assertThat(batch.getFirst()).isInstanceOf(BatchResult.Accepted.class);
    assertThat(batch.getLast()).isInstanceOf(BatchResult.Refused.class);
    assertThatThrownBy(() -> submit("fourth", null))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED))
        .satisfies(problem("submit-limits.jobs-waiting-queue", 2, 2));
    Actor bo = new Actor(world.tenant().id(), "bo", Role.TENANT_MEMBER);
    commands.submit(bo, world.project().name(), named("of-bo"), null, false);
  }
}
