package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontCondition;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Effects on others that the user of a Workload cannot cause, and errors that the user can correct.
 */
class FrontReachTest extends FrontHarness {
  private Job jobOf(Project project) {
    Actor ana = new Actor(project.tenant(), "ana", Role.TENANT_MEMBER);
    NewJob job = new NewJob(runsFor("1h").build());
    return fairlead.commands().submit(ana, project.name(), job, null, false).job();
  }

  private Project another() {
    Project project = fairlead.project();
    Project another =
        new Project(
            new ProjectId(stores.ids().next()),
            project.tenant(),
            "another",
            "fairlead-another",
            project.defaultQueue(),
            project.egress(),
            null,
            null,
            1);
    stores.tenants().insert(another);
    return another;
  }

  private void workloadAfter(Job job) {
    documents = (actor, project, json) -> runsFor("1s").dependsOn(job, Condition.STARTED).build();
    cluster.create(UID, "team-a", "workload/spy");
    pass(3);
  }

  /** Fails when users of a namespace learn from dependsOn how jobs of other projects end. */
  @Test
  void aWorkloadDependsOnNoJobOfAnotherProject() {
    Job secret = jobOf(another());

    workloadAfter(secret);

    assertThat(jobs()).isEmpty();
    assertThat(cluster.status(UID).condition(FrontCondition.SUBMITTED).orElseThrow().message())
        .startsWith("/spec/dependsOn/0")
        .contains(secret.id().text());
  }

  /** Fails when a Workload is held for a wrong name in its spec, and the name cannot change. */
  @Test
  void workloadRejectedByItsProjectIsNotAdoptedAndRunsOnceCorrected() {
    documents = (actor, project, json) -> runsFor("1s").build().named("x", "reserch");
    cluster.create(UID, "team-a", "workload/train");
    pass(3);
    assertThat(cluster.held(UID)).isFalse();
    assertThat(taken()).isFalse();
    assertThat(reason(FrontCondition.SUBMITTED)).isEqualTo("InvalidField");

    pass(200);
    documents = (actor, project, json) -> runsFor("1s").build();
    cluster.correct(UID);
    pass(15);

    assertThat(jobs()).extracting(Job::name).containsExactly("train-0b5e1c1a");
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  @Test
  void aWorkloadDependsOnAJobOfItsProject() {
    workloadAfter(jobOf(fairlead.project()));

    assertThat(jobs()).extracting(Job::name).contains("spy-0b5e1c1a");
  }

  /**
   * Fails when a definition of another version, or a webhook, makes Fairlead write a status
   * repeatedly.
   */
  @ParameterizedTest
  @ValueSource(strings = {"1s", "never"})
  void unstoredStatusIsRewrittenWithBackOff(String runsFor) {
    documents =
        (actor, project, json) -> {
          if (runsFor.equals("never")) {
            throw new Refusal(ProblemCode.INVALID_FIELD, "Too long.");
          }
          return runsFor(runsFor).build();
        };
    cluster.storesNoStatus();
    cluster.create(UID, "team-a", "workload/train");
    pass(20);
    cluster.noCalls();

    pass(1000);

    assertThat(cluster.calls()).isBetween(3, 20);
  }
}
