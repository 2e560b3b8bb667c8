package dev.fairlead.e2e;

import dev.fairlead.data.transfer.service.TransferWriters;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.world.memory.MemoryStores;

/** Submits jobs of Fairlead's own in an installation in memory. */
public final class FairleadSubmits {
  private FairleadSubmits() {}

  public static JobSubmits of(InMemoryFairlead fairlead) {
    return new JobSubmitCommands(fairlead.commands(), control(fairlead));
  }

  static JobControl control(InMemoryFairlead fairlead) {
    MemoryStores stores = fairlead.stores();
    return new JobControl(
        stores.transactions(),
        stores.jobs(),
        new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
        new Idempotency(stores.idempotency()),
        stores.legalHolds(),
        new TransferWriters(stores.transfers(), stores.volumes()),
        stores.audit(),
        SubmitPolicies.NONE,
        stores.tenants());
  }
}
