package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first waiting job has a future reservation, and other jobs use it only until then. */
class BackfillTest {
  private final Scene scene = new Scene();
  private int made;

  private JobBuilder late(String name) {
    return new JobBuilder(name, 500 + ++made, scene.quotas.getFirst().id()).age(made == 1 ? 10 : 1);
  }

  /** A node that is full for another hour, and one that is free. */
  private Story anHourToWait() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    scene.job("runs").gpus(8).maxRuntime(Duration.ofHours(1));
    Story story = new Story(scene);
    story.plan();
    return story;
  }

  @Test
  void onlyJobsThatEndInTimePassTheHead() {
    Story story = anHourToWait();
    JobBuilder gang = late("gang").gpus(8).gang(2);
    JobBuilder brief = late("brief").gpus(4).maxRuntime(Duration.ofMinutes(50));
    JobBuilder tooLong = late("too-long").gpus(4).maxRuntime(Duration.ofMinutes(70));
    JobBuilder endless = late("endless").gpus(2);

    Scene.Planned plan = story.submit(gang, brief, tooLong, endless).plan();

    // Fails when reserved capacity is not withheld: all three would start, and the gang would
    // continue to wait.
    assertThat(plan.places()).extracting(Decision.Place::job).containsExactly(brief.id());
    assertThat(plan.why(tooLong).blockers())
        .anyMatch(b -> b.reason() == Reason.RESERVATION_CONFLICT);
    Reservation kept = story.reservations().getFirst();
    assertThat(kept.kind()).isEqualTo(Reservation.Kind.BACKFILL);
    assertThat(kept.startsAt()).isEqualTo(Scene.NOW.plus(Duration.ofHours(1)));
    assertThat(kept.members()).hasSize(2);
  }

  /** Fails when a reservation loses the class of its job. */
  @Test
  void noUnacceptableNeighbourTakesReservedNodes() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("runs").gpus(8).maxRuntime(Duration.ofHours(1));
    Story story = new Story(scene);
    story.plan();
    JobBuilder quiet = late("quiet").gpus(8).antiAffinity(null, "noisy");
    JobBuilder noisy = late("noisy").cpu(1).antiAffinity("noisy");
    JobBuilder plain = late("plain").cpu(1);

    Scene.Planned plan = story.submit(quiet, noisy, plain).plan();

    assertThat(story.reservations()).singleElement().matches(r -> r.job().equals(quiet.id()));
    assertThat(plan.starts(plain)).isTrue();
    assertThat(plan.starts(noisy)).isFalse();
  }

  @Test
  void unchangedReservationIsNotRewritten() {
    Story story = anHourToWait();
    story.submit(late("gang").gpus(8).gang(2)).plan();

    Scene.Planned again = story.pass(Duration.ofSeconds(1)).plan();

    assertThat(again.plan().decisions()).noneMatch(Decision.Reserve.class::isInstance);
    assertThat(again.plan().decisions()).noneMatch(Decision.Release.class::isInstance);
  }

  @Test
  void reservationIsReleasedWhenItsJobStartsOrLeaves() {
    Story story = anHourToWait();
    JobBuilder gang = late("gang").gpus(8).gang(2);
    story.submit(gang).plan();
    assertThat(story.reservations()).hasSize(1);

    story.withdraw(gang).plan();

    assertThat(story.reservations()).isEmpty();
  }

  @Test
  void queueShowsItsMaximumRuntime() {
    QuotaNodeId brief =
        scene.queue(
            "brief",
            null,
            QueueSettings.of(
                QueueSettings.Order.BEST_EFFORT_FIFO,
                QueueSettings.State.ACTIVE,
                Duration.ofMinutes(30)));
    Story story = anHourToWait();
    JobBuilder gang = late("gang").gpus(8).gang(2);
    JobBuilder small = late("small").gpus(2).queue("brief", brief);

    assertThat(story.submit(gang, small).plan().starts(small)).isTrue();
  }

  @Test
  void nodesWithUnknownEndsAreDrainedOnlyAfterALongWait() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder runs = scene.job("runs").gpus(8);
    Story story = new Story(scene);
    story.plan();
    JobBuilder gang = late("gang").gpus(8).gang(2);
    JobBuilder early = late("early").gpus(2);
    assertThat(story.submit(gang, early).plan().starts(early)).isTrue();
    assertThat(story.reservations()).isEmpty();
    JobBuilder later = late("later").gpus(2);

    Scene.Planned draining = story.pass(Duration.ofHours(2)).submit(later).plan();

    assertThat(draining.starts(later)).isFalse();
    assertThat(story.reservations().getFirst().kind()).isEqualTo(Reservation.Kind.DRAIN);
    // the nodes do not change, and the gang starts as soon as they are free
    assertThat(story.plan().first(gang).numbers()).containsEntry("jobs", 2L);
    assertThat(story.ends(runs).ends(early).plan().places())
        .extracting(Decision.Place::job)
        .contains(gang.id());
  }

  @Test
  void reservationForOneModelBlocksNoNodeOfAnother() {
    scene.cluster("eu-1").nodes(2, 8, "H100").nodes(1, 8, "L4");
    scene.job("runs").gpus(8, "H100").maxRuntime(Duration.ofHours(1));
    Story story = new Story(scene);
    story.plan();
    JobBuilder gang = late("gang").gpus(8, "H100").gang(2);
    JobBuilder other = late("other").gpus(8, "L4");

    assertThat(story.submit(gang, other).plan().starts(other)).isTrue();
  }

  @Test
  void noJobPassesTheHeadOfAStrictQueueOnDrainingNodes() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.job("runs").gpus(8);
    Story story = new Story(scene);
    story.plan();
    JobBuilder gang = late("gang").gpus(8).gang(2).queue("strict", strict);
    JobBuilder behind = late("behind").queue("strict", strict);
    story.pass(Duration.ofHours(2)).submit(gang).plan();

    assertThat(story.submit(behind).plan().starts(behind)).isFalse();
    assertThat(story.plan().starts(behind)).isFalse();
  }

  /** Fails when a lent reservation also lends its quota: the gang would find no quota. */
  @Test
  void backfilledJobLeavesTheHeadItsQuota() {
    QuotaLimit sixteen =
        new QuotaLimit(
            new Flavor("H100", CapacityType.RESERVED), ResourceNames.GPU, 16_000L, 0L, null);
    QuotaNodeId team = scene.queue("team", null, QueueSettings.DEFAULT, sixteen);
    QuotaNodeId others = scene.queue("others", null, QueueSettings.DEFAULT);
    Story story = anHourToWait();
    JobBuilder gang = late("gang").gpus(8).gang(2).queue("team", team);
    JobBuilder own = late("own").gpus(4).maxRuntime(Duration.ofMinutes(30)).queue("team", team);
    JobBuilder brief =
        late("brief").gpus(4).maxRuntime(Duration.ofMinutes(30)).queue("others", others);

    Scene.Planned plan = story.submit(gang, own, brief).plan();

    assertThat(plan.starts(own)).isFalse();
    assertThat(plan.first(own).reason()).isEqualTo(Reason.RESERVATION_CONFLICT);
    assertThat(plan.starts(brief)).isTrue();
    story.pass(Duration.ofMinutes(1)).plan();
    assertThat(story.reservations()).singleElement().matches(r -> r.job().equals(gang.id()));
  }

  /** Fails when EarliestStart or usable ignores an end: small jobs would delay the gang. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void smallJobNeverDelaysAGangWithAReservation(long seed) {
    Random random = new Random(seed);
    scene.cluster("eu-1").nodes(3, 8, "H100");
    Map<JobId, JobBuilder> all = new TreeMap<>();
    Story story = new Story(scene);
    for (int i = 0; i < 6; i++) {
      submit(story, all, 1 + random.nextInt(8), 1 + random.nextInt(60));
    }
    story.plan();
    JobBuilder gang = late("gang").gpus(8).gang(3).maxRuntime(Duration.ofMinutes(5)).age(3600);
    story.submit(gang);
    Instant promised = null;
    for (int minute = 0; minute < 240 && waits(story, gang); minute++) {
      submit(story, all, 1 + random.nextInt(3), 1 + random.nextInt(90));
      story.plan();
      Instant kept =
          story.reservations().stream()
              .filter(r -> r.job().equals(gang.id()))
              .map(Reservation::startsAt)
              .findFirst()
              .orElse(null);
      if (promised == null) {
        promised = kept;
      }
      if (kept != null) {
        assertThat(kept).isBeforeOrEqualTo(promised);
      }
      story.pass(Duration.ofMinutes(1));
      endWhoIsDue(story, all);
    }
    assertThat(waits(story, gang)).isFalse();
  }

  private void submit(Story story, Map<JobId, JobBuilder> all, int gpus, int minutes) {
    JobBuilder job = late("job").gpus(gpus).maxRuntime(Duration.ofMinutes(minutes)).age(1);
    all.put(job.id(), job);
    story.submit(job);
  }

  private static boolean waits(Story story, JobBuilder job) {
    return story.world().pending().stream().anyMatch(p -> p.job().id().equals(job.id()));
  }

  private static void endWhoIsDue(Story story, Map<JobId, JobBuilder> all) {
    for (World.LiveAttempt live : story.world().live()) {
      JobBuilder job = all.get(live.job().id());
      Instant end = live.attempt().startedAt().plus(live.job().spec().maxRuntime());
      if (job != null && !end.isAfter(story.world().asOf())) {
        story.ends(job);
      }
    }
  }
}
