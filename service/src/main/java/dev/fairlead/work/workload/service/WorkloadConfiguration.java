package dev.fairlead.work.workload.service;

import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.health.service.spi.NodeFaults;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClosedPlaces;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Durations of attempts, and objects that supervisors share. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WorkloadSettings.class)
class WorkloadConfiguration {
  @Bean
  WorkloadTimeouts workloadTimeouts(WorkloadSettings settings) {
    return WorkloadTimeouts.DEFAULT
        .keeping(settings.keepFailed(), settings.keepSucceeded())
        .saving(settings.longestCheckpoint());
  }

  @Bean
  CheckpointLimit checkpointLimit(WorkloadSettings settings) {
    return new CheckpointLimit(settings.longestCheckpoint());
  }

  @Bean
  AttemptRepository supervisedAttempts(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      TenantStore tenants,
      LeaseStore leases,
      ReservationStore reservations,
      ProjectSecretStore secrets,
      VolumeStore volumes,
      ProgressStore progress,
      OutputStore outputs,
      ConfigStore configuration,
      SharedKey key,
      MeterRegistry metrics) {
    return new AttemptRepository(
        transactions,
        jobs,
        writer,
        tenants,
        leases,
        reservations,
        secrets,
        volumes,
        progress,
        outputs,
        configuration,
        key,
        metrics);
  }

  @Bean
  UnknownHolder unknownHolder(WorkloadSettings settings) {
    return new UnknownHolder(settings.unknownHolderAfter(), settings.unknownHolder());
  }

  @Bean
  ClosedPlaces placesOutOfUse(
      Transactions transactions,
      PlaceNotes notes,
      InventoryStore inventory,
      OperationStore operations,
      HealthStore health,
      RepairStore repairs,
      PoolStore pools,
      AdvanceReservationStore advanceReservations,
      NodeFaults conditions,
      UnknownHolder holders,
      IdSource ids) {
    return new ClosedPlaces(
        transactions,
        notes,
        inventory,
        operations,
        health,
        repairs,
        pools,
        advanceReservations,
        conditions,
        holders,
        ids);
  }
}
