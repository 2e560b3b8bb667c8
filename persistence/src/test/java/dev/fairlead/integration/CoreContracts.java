package dev.fairlead.integration;

import dev.fairlead.kernel.config.ConfigStoreContract;
import dev.fairlead.kernel.idempotency.IdempotencyStoreContract;
import dev.fairlead.kernel.lease.LeaseStoreContract;
import dev.fairlead.kernel.transaction.TransactionsContract;
import dev.fairlead.people.audit.AuditLogContract;
import dev.fairlead.work.event.EventLogContract;
import dev.fairlead.work.event.WakeUpsContract;
import dev.fairlead.work.job.AllocationContract;
import dev.fairlead.work.job.AttemptStoreContract;
import dev.fairlead.work.job.store.JobStoreContract;
import dev.fairlead.work.world.Stores;
import org.junit.jupiter.api.Nested;

/** The conformance suites of transactions, jobs, events and documents, on one installation. */
abstract class CoreContracts {
  abstract Stores installation();

  @Nested
  class ForJobs extends JobStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForAttempts extends AttemptStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForAllocations extends AllocationContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForTransactions extends TransactionsContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForLeases extends LeaseStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForEvents extends EventLogContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForWakeUps extends WakeUpsContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForIdempotency extends IdempotencyStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForAudit extends AuditLogContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForConfigs extends ConfigStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }
}
