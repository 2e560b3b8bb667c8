package dev.fairlead.integration;

import dev.fairlead.attempt.ReservationStoreContract;
import dev.fairlead.audit.AuditLogContract;
import dev.fairlead.booking.BookingStoreContract;
import dev.fairlead.campaign.CampaignStoreContract;
import dev.fairlead.cluster.InventoryStoreContract;
import dev.fairlead.config.ConfigStoreContract;
import dev.fairlead.efficiency.EfficiencyStoreContract;
import dev.fairlead.event.EventLogContract;
import dev.fairlead.event.WakeUpsContract;
import dev.fairlead.front.FrontStoreContract;
import dev.fairlead.health.DeviceStoreContract;
import dev.fairlead.health.HealthStoreContract;
import dev.fairlead.health.RepairStoreContract;
import dev.fairlead.healthtest.HealthTestStoreContract;
import dev.fairlead.idempotency.IdempotencyStoreContract;
import dev.fairlead.job.AllocationContract;
import dev.fairlead.job.AllocationRaceContract;
import dev.fairlead.job.ExplanationStoreContract;
import dev.fairlead.job.JobListContract;
import dev.fairlead.job.JobStoreContract;
import dev.fairlead.job.ResizeContract;
import dev.fairlead.lease.LeaseStoreContract;
import dev.fairlead.legalhold.LegalHoldStoreContract;
import dev.fairlead.licence.LicenceStoreContract;
import dev.fairlead.log.LogStoreContract;
import dev.fairlead.node.PoolStoreContract;
import dev.fairlead.operation.OperationStoreContract;
import dev.fairlead.price.PriceStoreContract;
import dev.fairlead.progress.ProgressStoreContract;
import dev.fairlead.projectsecret.ProjectSecretStoreContract;
import dev.fairlead.quota.CountersContract;
import dev.fairlead.quota.QuotaStoreContract;
import dev.fairlead.supply.SupplyStoreContract;
import dev.fairlead.tenant.MembershipStoreContract;
import dev.fairlead.tenant.NamespaceRemovalStoreContract;
import dev.fairlead.tenant.TenantStoreContract;
import dev.fairlead.token.TokenStoreContract;
import dev.fairlead.transaction.TransactionsContract;
import dev.fairlead.transfer.TransferStoreContract;
import dev.fairlead.volume.VolumeStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.WorldReaderContract;
import org.junit.jupiter.api.Nested;

/** Every conformance suite of the domain, on one installation. */
abstract class PostgresContracts {
  abstract Stores installation();

  @Nested
  class ForJobs extends JobStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForJobLists extends JobListContract {
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
  class ForResizes extends ResizeContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForAllocationRaces extends AllocationRaceContract {
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
  class ForTenants extends TenantStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForMemberships extends MembershipStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForSecrets extends ProjectSecretStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForTokens extends TokenStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForQuotas extends QuotaStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForInventory extends InventoryStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForSupplies extends SupplyStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForEfficiency extends EfficiencyStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForPools extends PoolStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForLogs extends LogStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForBookings extends BookingStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForTransfers extends TransferStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForVolumes extends VolumeStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForLegalHolds extends LegalHoldStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForLicences extends LicenceStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForPrices extends PriceStoreContract {
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
  class ForWorlds extends WorldReaderContract {
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
  class ForDevices extends DeviceStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForNamespaceRemovals extends NamespaceRemovalStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForFronts extends FrontStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForProgress extends ProgressStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForHealthTests extends HealthTestStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForCampaigns extends CampaignStoreContract {
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

  @Nested
  class ForRepairs extends RepairStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForHealth extends HealthStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForOperations extends OperationStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForReservations extends ReservationStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForCounters extends CountersContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForExplanations extends ExplanationStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }
}
