package dev.fairlead.world;

import dev.fairlead.attempt.Member;
import dev.fairlead.attempt.ReservationStore;
import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.booking.BookingStore;
import dev.fairlead.campaign.CampaignStore;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.config.ConfigStore;
import dev.fairlead.efficiency.EfficiencyStore;
import dev.fairlead.event.EventLog;
import dev.fairlead.event.WakeUps;
import dev.fairlead.front.FrontStore;
import dev.fairlead.health.DeviceStore;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.RepairStore;
import dev.fairlead.healthtest.HealthTestStore;
import dev.fairlead.idempotency.IdempotencyStore;
import dev.fairlead.identity.IdSource;
import dev.fairlead.job.ActiveJobs;
import dev.fairlead.job.ExplanationStore;
import dev.fairlead.job.JobStore;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.legalhold.LegalHoldStore;
import dev.fairlead.licence.LicenceStore;
import dev.fairlead.log.LogStore;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodeState;
import dev.fairlead.node.PoolStore;
import dev.fairlead.operation.OperationStore;
import dev.fairlead.price.PriceStore;
import dev.fairlead.progress.ProgressStore;
import dev.fairlead.projectsecret.ProjectSecretStore;
import dev.fairlead.quota.Counters;
import dev.fairlead.quota.FleetQuotaStore;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaStore;
import dev.fairlead.quota.QuotaTrees;
import dev.fairlead.supply.SupplyStore;
import dev.fairlead.tenant.MembershipStore;
import dev.fairlead.tenant.NamespaceRemovalStore;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.token.TokenStore;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.transfer.TransferStore;
import dev.fairlead.volume.VolumeStore;
import java.time.Duration;
import java.util.List;

/**
 * Every port of one installation, for the conformance suites. A suite shares its installation with
 * others: it makes a tenant of its own, gives its clusters and leases names of its own, and looks
 * only at those.
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

  LicenceStore licences();

  LegalHoldStore legalHolds();

  BookingStore bookings();

  VolumeStore volumes();

  TransferStore transfers();

  ProjectSecretStore secrets();

  LogStore logs();

  JobStore jobs();

  EventLog events();

  WakeUps wakeUps();

  LeaseStore leases();

  IdempotencyStore idempotency();

  AuditLog audit();

  ExplanationStore explanations();

  OperationStore operations();

  HealthStore health();

  RepairStore repairs();

  CampaignStore campaigns();

  HealthTestStore healthTests();

  ProgressStore progress();

  FrontStore fronts();

  EfficiencyStore efficiency();

  DeviceStore devices();

  ReservationStore reservations();

  WorldReader world();

  ActiveJobs activeJobs();

  Counters counters();

  IdSource ids();

  /** What the audit log holds, oldest first. The port only writes. */
  List<AuditRecord> auditEntries();

  /** Moves a node as a drain or a health check would. */
  void moveNode(NodeId node, NodeState state);

  /** Makes the counters say that the member holds its place once more, past the job store. */
  void miscount(QuotaNode queue, Member member);

  /**
   * Time passes for whatever waits for a stored moment: back-offs, and answers that are kept for a
   * while.
   */
  void advance(Duration by);
}
