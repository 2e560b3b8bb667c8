package dev.fairlead.workload.service;

import dev.fairlead.attempt.CheckpointLimit;
import dev.fairlead.attempt.ReservationStore;
import dev.fairlead.booking.BookingStore;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.NodeFaults;
import dev.fairlead.health.RepairStore;
import dev.fairlead.identity.IdSource;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.JobWriter;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.node.PoolStore;
import dev.fairlead.operation.OperationStore;
import dev.fairlead.progress.ProgressStore;
import dev.fairlead.projectsecret.ProjectSecretStore;
import dev.fairlead.secret.SharedKey;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.volume.VolumeStore;
import dev.fairlead.workload.WorkloadTimeouts;
import dev.fairlead.workload.service.attempt.AttemptRepository;
import dev.fairlead.workload.service.contact.ClosedPlaces;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Times of attempts, and what supervisors share. */
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
        key,
        metrics);
  }

  @Bean
  ClosedPlaces placesOutOfUse(
      InventoryStore inventory,
      OperationStore operations,
      HealthStore health,
      RepairStore repairs,
      PoolStore pools,
      BookingStore bookings,
      NodeFaults conditions,
      IdSource ids) {
    return new ClosedPlaces(
        inventory, operations, health, repairs, pools, bookings, conditions, ids);
  }
}
