package dev.fairlead.e2e;

import dev.fairlead.idempotency.Idempotency;
import dev.fairlead.job.JobSubmits;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.service.JobControl;
import dev.fairlead.job.service.JobSubmitCommands;
import dev.fairlead.world.memory.MemoryStores;

/** Submits jobs of Fairlead's own in an installation in memory. */
public final class FairleadSubmits {
  private FairleadSubmits() {}

  public static JobSubmits of(InMemoryFairlead fairlead) {
    MemoryStores stores = fairlead.stores();
    return new JobSubmitCommands(
        fairlead.commands(),
        new JobControl(
            stores.transactions(),
            stores.jobs(),
            new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
            new Idempotency(stores.idempotency()),
            stores.legalHolds(),
            stores.audit()));
  }
}
