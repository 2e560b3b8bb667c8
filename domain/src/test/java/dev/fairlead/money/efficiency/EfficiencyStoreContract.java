package dev.fairlead.money.efficiency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class EfficiencyStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorld() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private SampledAttempt sampled(Attempt attempt) {
    List<SampledAttempt> found =
        stores.efficiency().running(attempt.cluster(), List.of(attempt.id()));
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  private Efficiency row(Attempt attempt, long samples) {
    Instant now = stores.efficiency().now().truncatedTo(ChronoUnit.MILLIS);
    return new Efficiency(
        attempt.id(),
        attempt.job(),
        world.tenant().id(),
        samples,
        12.5,
        50,
        samples == 1 ? null : 40_000L,
        samples == 1 ? null : 1.5,
        samples == 1 ? null : now,
        now.minus(Duration.ofMinutes(samples)),
        now,
        samples == 1 ? null : new Efficiency.Warning(now, Duration.ofHours(2)),
        samples == 1 ? null : new Efficiency.Reclaimed(now, 4.5, null));
  }

  /** Fails when foreign pods or members without GPUs are waited for. */
  @Test
  void runningAttemptIsKnownByItsPodsWithGpus() {
    Job job = world.submit(Specs.job("one").gpus(1));
    Attempt attempt = world.run(world.place(job));

    SampledAttempt sampled = sampled(attempt);

    assertThat(sampled.job()).isEqualTo(job.id());
    assertThat(sampled.tenant()).isEqualTo(world.tenant().id());
    assertThat(sampled.namespace()).isEqualTo(world.project().namespace());
    assertThat(sampled.pods())
        .containsExactly(ObjectNames.pod(attempt.id(), MemberKey.of(attempt.members().getFirst())));
    assertThat(sampled.before()).isNull();
  }

  /** Fails when an exempt job may be warned, or an array suspended for one of its elements. */
  @Test
  void aSampledAttemptHasThePolicyOfItsProject() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("one").gpus(1))));
    assertThat(sampled(attempt).policy()).isNull();
    IdlePolicy policy =
        new IdlePolicy(
            10,
            Duration.ofMinutes(30),
            Duration.ofHours(2),
            new TreeMap<>(Map.of("team", "notebooks")));
    Project project = world.project();
    stores.tenants().update(project.with(project.defaultQueue(), project.egress()).with(policy));

    Attempt exempt =
        world.run(
            world.place(world.submit(Specs.job("labelled").gpus(1).label("team", "notebooks"))));
    Attempt element = world.run(world.place(world.submit(Specs.job("array").gpus(1).array("0-1"))));

    assertThat(sampled(exempt).policy()).isNull();
    assertThat(sampled(element).policy())
        .isEqualTo(new IdlePolicy(policy.below(), policy.warnAfter(), null, policy.exempt()));
    assertThat(sampled(attempt).policy()).isEqualTo(policy);
    assertThat(stores.tenants().project(project.tenant(), project.id()))
        .get()
        .extracting(Project::idle)
        .isEqualTo(policy);
  }

  @Test
  void attemptsThatDoNotRunOnTheClusterAreNotSampled() {
    EfficiencyStore efficiency = stores.efficiency();
    Attempt placed = world.place(world.submit(Specs.job("placed").gpus(1)));
    Attempt running = world.run(world.place(world.submit(Specs.job("runs").gpus(1))));
    Attempt plain = world.run(world.place(world.submit(Specs.job("plain"))));
    Attempt ended = world.succeed(world.run(world.place(world.submit(Specs.job("e").gpus(1)))));
    List<AttemptId> all =
        List.of(
            placed.id(), running.id(), plain.id(), ended.id(), new AttemptId(stores.ids().next()));

    assertThat(efficiency.running(running.cluster(), all))
        .extracting(SampledAttempt::attempt)
        .containsExactly(running.id());
    assertThat(efficiency.running(TestWorld.in(stores).cluster().id(), all)).isEmpty();
  }

  /** Fails when a second row is added, or its first sample is forgotten. */
  @Test
  void nextSampleReplacesThePreviousOne() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("one").gpus(1))));
    Efficiency first = row(attempt, 1);
    stores.efficiency().write(List.of(first));
    assertThat(sampled(attempt).before()).isEqualTo(first);

    Efficiency later = row(attempt, 2);
    Efficiency second = later.with().samples(2).since(first.since()).build();
    stores.efficiency().write(List.of(second));

    assertThat(sampled(attempt).before()).isEqualTo(second);
    assertThat(stores.efficiency().of(world.tenant().id(), List.of(attempt.id())))
        .containsExactly(second);
  }

  /** Fails when a tenant reads the efficiency of another tenant's attempts. */
  @Test
  void rowsOfAnotherTenantAreNotFound() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("one").gpus(1))));
    stores.efficiency().write(List.of(row(attempt, 1)));

    assertThat(stores.efficiency().of(TestWorld.in(stores).tenant().id(), List.of(attempt.id())))
        .isEmpty();
  }

  /** Fails when a late sample recreates a row of a deleted job. */
  @Test
  void samplesAreDeletedWithTheirJob() {
    Job job = world.submit(Specs.job("one").gpus(1));
    Attempt attempt = world.run(world.place(job));
    Efficiency row = row(attempt, 1);
    stores.efficiency().write(List.of(row));
    Attempt ended = world.succeed(attempt);
    world.append(JobTransitions.retire(world.job(job), ended, world.now(), TestWorld.ACTOR));
    assertThat(stores.efficiency().of(world.tenant().id(), List.of(attempt.id()))).hasSize(1);

    assertThat(stores.jobs().delete(job.id())).isTrue();
    stores.efficiency().write(List.of(row));

    assertThat(stores.efficiency().of(world.tenant().id(), List.of(attempt.id()))).isEmpty();
  }

  /** Fails when an attempt of another project, or an ended one, counts as idle. */
  @Test
  void idleAttemptsAreThoseThatRunTheLongestIdleFirst() {
    Attempt busy = world.run(world.place(world.submit(Specs.job("busy").gpus(1))));
    Attempt idle = world.run(world.place(world.submit(Specs.job("idle").gpus(1))));
    Attempt ended = world.run(world.place(world.submit(Specs.job("ended").gpus(1))));
    stores.efficiency().write(List.of(row(busy, 1), row(idle, 2), row(ended, 2)));
    Attempt _ = world.succeed(ended);
    TenantId tenant = world.tenant().id();

    assertThat(stores.efficiency().idle(tenant, null, 10))
        .singleElement()
        .satisfies(found -> {
          assertThat(found.efficiency().attempt()).isEqualTo(idle.id());
          assertThat(found.job()).isEqualTo(world.jobOf(idle).name());
          assertThat(found.project()).isEqualTo(world.project().name());
          assertThat(found.user()).isEqualTo(world.jobOf(idle).user());
          assertThat(found.cluster()).isEqualTo(idle.cluster());
          assertThat(found.gpuMilli()).isEqualTo(1_000);
        });
    assertThat(stores.efficiency().idle(tenant, List.of(world.project().id()), 10)).hasSize(1);
    assertThat(stores.efficiency().idle(tenant, List.of(new ProjectId(stores.ids().next())), 10))
        .isEmpty();
    assertThat(stores.efficiency().idle(TestWorld.in(stores).tenant().id(), null, 10)).isEmpty();
    assertThat(stores.efficiency().reclaimed(tenant)).isEqualTo(new ReclaimedSum(2, 9, 0));
    assertThat(stores.efficiency().reclaimed(TestWorld.in(stores).tenant().id()))
        .isEqualTo(new ReclaimedSum(0, 0, 0));
  }
}
