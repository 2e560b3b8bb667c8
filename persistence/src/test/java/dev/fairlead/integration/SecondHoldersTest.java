package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;

/** Second live attempts of a job, and second holders of a GPU. */
class SecondHoldersTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final Job job = world.submit(Specs.job("first").gpus(1));
  private final Attempt first = world.place(job);

  /** Fails when only the statement that inserts attempts prevents a second live one. */
  @Test
  void theIndexOfLiveAttemptsRefusesASecondOne() {
    refusedBy(
        "attempt_live",
        """
        INSERT INTO attempt (id, job, element, number, tenant, state, cluster, epoch, created_at)
        SELECT gen_random_uuid(), job, element, number + 1, tenant, state, cluster, epoch, created_at
        FROM attempt WHERE id = ?
        """);
  }

  /** Fails when only the statement that inserts allocations prevents a second whole one. */
  @Test
  void theIndexOfHoldersRefusesASecondHolderOfAWholeGpu() {
    refusedBy(
        "allocation_holder",
        """
        INSERT INTO allocation (attempt, role, idx, node, gpu, milli)
        SELECT attempt, 'other', idx, node, gpu, milli FROM allocation WHERE attempt = ?
        """);
  }

  /** Fails when a placement on a GPU whose counter is wrong fails without the guard of the GPU. */
  @Test
  void aPlacementOnAHeldGpuIsRefusedIfTheCounterOfTheGpuIsWrong() {
    int _ =
        update(
            """
            UPDATE gpu_slot SET allocated_milli = 0
            FROM allocation a WHERE a.attempt = ? AND gpu_slot.node = a.node AND gpu_slot.idx = a.gpu
            """);
    Job second = world.submit(Specs.job("second").gpus(1));

    Refused.by(Guard.GPU_SLOT, () -> world.place(second));
  }

  private void refusedBy(String index, String insert) {
    assertThatExceptionOfType(DuplicateKeyException.class)
        .isThrownBy(() -> update(insert))
        .withMessageContaining(index);
  }

  private int update(String statement) {
    return stores
        .transactions()
        .forAllTenants(() -> stores.jdbc().sql(statement).param(first.id().value()).update());
  }
}
