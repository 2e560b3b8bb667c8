package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobRowsTest {
  /** Fails when a process of the previous version cannot read a job with a check. */
  @Test
  void checkWithoutAMessageIsStoredWithAnEmptyOne() {
    TestWorld world = TestWorld.in(MemoryStores.empty(1));
    Job job = world.newJob(Specs.job("checked").build());
    JobCheck check = new JobCheck("budget", JobCheck.State.PENDING, 1, 2, world.now(), null, null);
    RowBatch rows = new RowBatch().row();

    JobRows.change(rows, job.with().checks(List.of(check)).build());

    assertThat(rows.json()).contains("\"message\":\"\",\"retryAt\":null");
  }
}
