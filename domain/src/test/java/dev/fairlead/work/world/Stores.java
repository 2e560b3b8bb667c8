package dev.fairlead.work.world;

import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.fleet.quota.Counters;
import dev.fairlead.fleet.quota.FleetQuotaStore;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.idempotency.IdempotencyStore;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.people.token.TokenStore;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.store.ActiveJobs;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.schedule.ScheduleStore;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.webhook.WebhookStore;
import dev.fairlead.work.workdir.WorkdirStore;
import java.time.Duration;
import java.util.List;

/**
 * Every port of one installation, for the conformance suites. Suites share an installation: each
 * creates a separate tenant, uses unique names of clusters and leases, and reads only those.
 */
public interface Stores {
  Transactions transactions();

  TenantStore tenants();

  NamespaceRemovalStore removals();

  MembershipStore memberships();

  TokenStore tokens();

  QuotaStore quotas();

  QuotaTrees forest();

  FleetQuotaStore fleetQuotas();

  InventoryStore inventory();

  PoolStore pools();

  SupplyStore supplies();

  ConfigStore configs();

  PriceStore prices();

  BudgetStore budgets();

  LicenceStore licences();

  LegalHoldStore legalHolds();

  AdvanceReservationStore advanceReservations();

  VolumeStore volumes();

  TransferStore transfers();

  WorkdirStore workdirs();

  ProjectSecretStore secrets();

  LogStore logs();

  JobStore jobs();

  EventLog events();

  FleetEvents fleetEvents();

  WebhookStore webhooks();

  ServingStore services();

  ServiceKeyStore serviceKeys();

  ScheduleStore schedules();

  WakeUps wakeUps();

  LeaseStore leases();

  IdempotencyStore idempotency();

  AuditLog audit();

  ExplanationStore explanations();

  OperationStore operations();

  HealthStore health();

  PlaceNotes placeNotes();

  RepairStore repairs();

  CampaignStore campaigns();

  HealthTestStore healthTests();

  ProgressStore progress();

  OutputStore outputs();

  FrontStore fronts();

  EfficiencyStore efficiency();

  DeviceStore devices();

  SampleStore samples();

  ReservationStore reservations();

  WorldReader world();

  ActiveJobs activeJobs();

  Counters counters();

  IdSource ids();

  /** Rows of the audit log, oldest first. The port only writes. */
  List<AuditRecord> auditEntries();

  /** Moves a node as a drain or a health check would. */
  void moveNode(NodeId node, NodeState state);

  /** Counts the member's allocation again in the counters, bypassing the job store. */
  void miscount(QuotaNode queue, Member member);

  /** Advances stored times: back-offs, and retained responses. */
  void advance(Duration by);
}
