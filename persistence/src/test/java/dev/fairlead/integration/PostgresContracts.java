package dev.fairlead.integration;

import dev.fairlead.care.campaign.CampaignStoreContract;
import dev.fairlead.care.health.dcgm.SampleStoreContract;
import dev.fairlead.care.health.device.DeviceStoreContract;
import dev.fairlead.care.health.quarantine.DomainQuarantineContract;
import dev.fairlead.care.health.quarantine.HealthStoreContract;
import dev.fairlead.care.health.repair.RepairStoreContract;
import dev.fairlead.care.healthtest.HealthTestStoreContract;
import dev.fairlead.care.reservation.AdvanceReservationStoreContract;
import dev.fairlead.care.supply.SupplyStoreContract;
import dev.fairlead.data.transfer.TransferStoreContract;
import dev.fairlead.data.volume.VolumeStoreContract;
import dev.fairlead.fleet.cluster.ClusterStoreContract;
import dev.fairlead.fleet.cluster.InventoryStoreContract;
import dev.fairlead.fleet.licence.LicenceStoreContract;
import dev.fairlead.fleet.node.pool.PoolStoreContract;
import dev.fairlead.fleet.operation.OperationStoreContract;
import dev.fairlead.fleet.quota.CountersContract;
import dev.fairlead.fleet.quota.QuotaStoreContract;
import dev.fairlead.front.FrontStoreContract;
import dev.fairlead.money.efficiency.EfficiencyStoreContract;
import dev.fairlead.money.price.PriceStoreContract;
import dev.fairlead.people.legalhold.LegalHoldStoreContract;
import dev.fairlead.people.secret.ProjectSecretStoreContract;
import dev.fairlead.people.tenant.MembershipStoreContract;
import dev.fairlead.people.tenant.NamespaceRemovalStoreContract;
import dev.fairlead.people.tenant.TenantStoreContract;
import dev.fairlead.people.token.TokenStoreContract;
import dev.fairlead.work.attempt.ReservationStoreContract;
import dev.fairlead.work.event.FleetEventsContract;
import dev.fairlead.work.job.AllocationRaceContract;
import dev.fairlead.work.job.JobListContract;
import dev.fairlead.work.job.MoveContract;
import dev.fairlead.work.job.ResizeContract;
import dev.fairlead.work.job.store.ExplanationStoreContract;
import dev.fairlead.work.log.LogStoreContract;
import dev.fairlead.work.output.OutputStoreContract;
import dev.fairlead.work.progress.ProgressStoreContract;
import dev.fairlead.work.schedule.ScheduleStoreContract;
import dev.fairlead.work.serving.ServingStoreContract;
import dev.fairlead.work.serving.key.ServiceKeyStoreContract;
import dev.fairlead.work.webhook.WebhookStoreContract;
import dev.fairlead.work.workdir.WorkdirStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.WorldReaderContract;
import org.junit.jupiter.api.Nested;

/** Every conformance suite of the domain, on one installation. */
abstract class PostgresContracts extends CoreContracts {
  @Nested
  class ForJobLists extends JobListContract {
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
  class ForMoves extends MoveContract {
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
  class ForClusters extends ClusterStoreContract {
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
  class ForAdvanceReservations extends AdvanceReservationStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForWorkdirs extends WorkdirStoreContract {
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
  class ForSchedules extends ScheduleStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForServing extends ServingStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForServiceKeys extends ServiceKeyStoreContract {
    @Override
    protected Stores stores() {
      return installation();
    }
  }

  @Nested
  class ForWebhooks extends WebhookStoreContract {
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
  class ForFleetEvents extends FleetEventsContract {
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
  class ForSamples extends SampleStoreContract {
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
  class ForOutputs extends OutputStoreContract {
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
  class ForDomainQuarantines extends DomainQuarantineContract {
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
