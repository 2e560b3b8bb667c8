package dev.fairlead.data.transfer.service;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobRemovals;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Finds jobs that may have written data to the source of a copy that the copy lacks. */
@Component
public class TransferWriters implements JobRemovals {
  private final TransferStore transfers;
  private final VolumeStore volumes;

  public TransferWriters(TransferStore transfers, VolumeStore volumes) {
    this.transfers = transfers;
    this.volumes = volumes;
  }

  /**
   * The transfer with the name of a writer, empty when none is found or one is already recorded.
   */
  Optional<Transfer> written(Transfer transfer, @Nullable Volume source) {
    Instant since = transfer.status().uploadedAfter();
    if (source == null
        || !source.usable()
        || since == null
        || transfer.status().writtenBy() != null) {
      return Optional.empty();
    }
    return volumes.mounting(source, since, 1).stream().findFirst().map(transfer::written);
  }

  /**
   * Records the writers of open transfers in the transaction that deletes the job, because {@link
   * TransferLoop} misses jobs that are deleted between two checks.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when the loop changed a transfer first
   */
  @Override
  public void deletes(Job job) {
    if (job.spec().volumes().isEmpty()) {
      return;
    }
    List<Volume> all = volumes.all(job.tenant(), job.project());
    transfers.of(job.tenant(), job.project(), Transfers.MOST_SHOWN).stream()
        .filter(transfer -> transfer.status().endedAt() == null)
        .flatMap(transfer -> written(transfer, Transfers.of(all, transfer.source())).stream())
        .forEach(transfers::update);
  }
}
