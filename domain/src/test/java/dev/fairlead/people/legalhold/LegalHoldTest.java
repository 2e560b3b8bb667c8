package dev.fairlead.people.legalhold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Jobs and projects that a legal hold protects. */
class LegalHoldTest {
  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));
  private final Job queued = world.submit(Specs.job("sft"));
  private final Instant made = queued.createdAt();
  private final ProjectId otherProject = new ProjectId(new UUID(1, 2));

  private LegalHold hold(
      @Nullable ProjectId project,
      @Nullable JobId job,
      @Nullable Instant from,
      @Nullable Instant to) {
    return new LegalHold(
        world.tenant().id(),
        "case-7",
        "why",
        project,
        job,
        from,
        to,
        new LegalHold.Change(made, "ana"));
  }

  private static boolean keeps(LegalHold hold, Job job) {
    return hold.keeps(job.id(), job.project(), job.createdAt(), job.run().endedAt());
  }

  private Job ended() {
    world.stores().advance(Duration.ofHours(1));
    world.cancel(queued);
    return world.job(queued);
  }

  /** Fails when a hold protects too much, or a hold on everything omits an object. */
  @Test
  void holdRetainsWhatItCovers() {
    ProjectId own = queued.project();
    assertThat(keeps(hold(null, null, null, null), queued)).isTrue();
    assertThat(keeps(hold(own, null, null, null), queued)).isTrue();
    assertThat(keeps(hold(otherProject, null, null, null), queued)).isFalse();
    assertThat(keeps(hold(null, queued.id(), null, null), queued)).isTrue();
    assertThat(keeps(hold(null, new JobId(new UUID(1, 2)), null, null), queued)).isFalse();
    assertThat(hold(null, null, null, null).keeps(own)).isTrue();
    assertThat(hold(own, null, null, null).keeps(own)).isTrue();
    assertThat(hold(otherProject, null, null, null).keeps(own)).isFalse();
    assertThat(hold(null, queued.id(), null, null).keeps(own)).isFalse();
  }

  /** Fails when a job of the time of a hold is not protected, or another one is. */
  @Test
  void jobThatLivedDuringAHoldIsRetained() {
    Job ended = ended();
    Instant end = Objects.requireNonNull(ended.run().endedAt());
    assertThat(end).isAfter(made);
    assertThat(keeps(hold(null, null, end, null), ended)).isTrue();
    assertThat(keeps(hold(null, null, end.plusMillis(1), null), ended)).isFalse();
    assertThat(keeps(hold(null, null, end.plusMillis(1), null), queued)).isTrue();
    assertThat(keeps(hold(null, null, null, made), ended)).isFalse();
    assertThat(keeps(hold(null, null, null, made.plusMillis(1)), ended)).isTrue();
  }
}
