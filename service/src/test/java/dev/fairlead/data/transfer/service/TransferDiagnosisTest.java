package dev.fairlead.data.transfer.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferEvent;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.Transfers;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransferDiagnosisTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private Instant now = Instant.parse("2026-03-01T12:00:00Z");
  private final TransferDiagnosis diagnosis =
      new TransferDiagnosis(stores.transfers(), stores.tenants(), () -> now);

  /** Fails when a stalled transfer is not reported, or a failed one is. */
  @Test
  void stalledTransferIsNamedWithItsOwner() {
    Transfer copy =
        Transfers.copy(
            new TransferId(stores.ids().next()),
            world.project(),
            new Transfer.Side(stores.ids().next(), "training"),
            new Transfer.Side(stores.ids().next(), "training-eu"));
    stores.transfers().insert(copy);
    assertThat(diagnosis.look())
        .extracting(DoctorCheck::verdict)
        .containsExactly(DoctorCheck.Verdict.OK);

    now = now.plus(Duration.ofHours(5));
    List<DoctorCheck> late = diagnosis.look();
    assertThat(late.getFirst().found()).startsWith("0 of 1 working transfers");
    assertThat(late.getLast().verdict()).isEqualTo(DoctorCheck.Verdict.WARNING);
    assertThat(late.getLast().found())
        .startsWith("the transfer to volume training-eu of ")
        .contains(world.project().name(), "UPLOADING for 5 h", "without a job");

    stores.transfers().update(copy.after(TransferEvent.FAILED, "gone", now));
    assertThat(diagnosis.look())
        .extracting(DoctorCheck::verdict)
        .containsExactly(DoctorCheck.Verdict.OK);
  }
}
