package dev.fairlead.work.placement.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.PendingJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PendingJobIndexTest {
  /** Fails when Rows.with drops a newer row, or Rows.merged a fresh one. */
  @Test
  void knowledgeOfTheLastCycleChangesNeitherRowsNorOrder() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      List<PendingJob> then = RandomScene.world(seed, 20).pending();
      List<PendingJob> now = changed(then, random);

      PendingJobIndex knowing =
          PendingJobIndex.of(now, known(PendingJobIndex.of(then, PendingJobCache.NONE)));
      PendingJobIndex afresh = PendingJobIndex.of(now, PendingJobCache.NONE);

      assertThat(rows(knowing)).isEqualTo(rows(afresh));
      assertThat(knowing.order()).isEqualTo(afresh.order());
    }
  }

  @Test
  void unchangedRowKeepsItsPosition() {
    List<PendingJob> then = RandomScene.world(1, 20).pending();
    PendingJobIndex before = PendingJobIndex.of(then, PendingJobCache.NONE);
    List<PendingJob> now = rows(before);
    now.removeFirst();

    PendingJobIndex rows = PendingJobIndex.of(now, known(before));

    for (int i = 0; i < rows.size(); i++) {
      assertThat(rows.before(i)).isEqualTo(i + 1);
    }
  }

  private static PendingJobCache known(PendingJobIndex rows) {
    return new PendingJobCache(
        rows.jobs(), new int[rows.size()], List.of(), rows.order(), List.of());
  }

  private static List<PendingJob> rows(PendingJobIndex rows) {
    List<PendingJob> all = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      all.add(rows.row(i));
    }
    return all;
  }

  /** Some missing, some changed, some duplicated, and sometimes in another order. */
  private static List<PendingJob> changed(List<PendingJob> then, Random random) {
    List<PendingJob> now = new ArrayList<>();
    for (PendingJob row : then) {
      switch (random.nextInt(4)) {
        case 0 -> now.add(row);
        case 1 -> now.add(next(row, random.nextInt(3) * 500));
        case 2 -> now.addAll(List.of(row, next(row, row.job().priority())));
        default -> {}
      }
    }
    if (random.nextBoolean()) {
      Collections.shuffle(now, random);
    }
    return now;
  }

  private static PendingJob next(PendingJob row, int priority) {
    Job j = row.job();
    Job changed =
        new Job(
            j.id(),
            j.tenant(),
            j.project(),
            j.queue(),
            j.name(),
            j.user(),
            j.spec(),
            priority,
            j.createdAt(),
            j.run(),
            j.array(),
            List.of(),
            j.version() + 1);
    return new PendingJob(changed, row.offers(), row.unmet(), row.deadDependency());
  }
}
