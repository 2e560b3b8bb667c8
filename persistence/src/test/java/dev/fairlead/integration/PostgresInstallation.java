package dev.fairlead.integration;

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
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.TransactionScope;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
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
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.WorldReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An installation on a real database: the module as the service starts it, migrations included. */
public final class PostgresInstallation implements Stores, AutoCloseable {
  private final ConfigurableApplicationContext context;
  private final LoopConnections loops;
  private final SideWork sideWork;

  private PostgresInstallation(ConfigurableApplicationContext context) {
    this.context = context;
    this.loops = LoopConnections.of(context.getBean(JdbcConnectionDetails.class));
    this.sideWork = SideWork.of(context.getBean(JdbcConnectionDetails.class));
  }

  /** Starts on the database, with additional properties as {@code --name=value}. */
  public static PostgresInstallation on(
      String url, String user, String password, String... properties) {
    return altered(url, user, password, UnaryOperator.identity(), properties);
  }

  /** Like {@link #on}, with statements other than its prepared statements. */
  static PostgresInstallation altered(
      String url,
      String user,
      String password,
      UnaryOperator<String> statements,
      String... properties) {
    List<String> arguments = new ArrayList<>(List.of(properties));
    arguments.add("--spring.datasource.url=" + url);
    arguments.add("--spring.datasource.username=" + user);
    arguments.add("--spring.datasource.password=" + password);
    arguments.add("--spring.main.banner-mode=off");
    // concurrent writers wait for each other, on a busy machine for longer than a request may take
    arguments.add("--spring.datasource.hikari.connection-timeout=60000");
    arguments.add("--fairlead.key-file=" + keyFile());
    return new PostgresInstallation(
        new SpringApplicationBuilder(PostgresSurroundings.class)
            .properties("fairlead.database.loop-connections=20") // as many writers race in tests
            .web(WebApplicationType.NONE)
            .logStartupInfo(false)
            .initializers(started -> {
              started.getBeanFactory().addBeanPostProcessor(new AlteredStatements(statements));
              if (statements instanceof DatabaseClock clock) {
                started.getBeanFactory().registerSingleton("databaseClock", clock);
              }
            })
            .run(arguments.toArray(String[]::new)));
  }

  /** Key file of this JVM, created by the first installation that seals. */
  private static Path keyFile() {
    try {
      Path directory = Files.createTempDirectory("fairlead-key");
      directory.toFile().deleteOnExit();
      Path file = directory.resolve("key");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** Components of the module. */
  Collection<Object> beansWith(Class<? extends Annotation> mark) {
    return context.getBeansWithAnnotation(mark).values();
  }

  /**
   * Statements of a test under the role of loops, or in an open transaction under that
   * transaction's role.
   */
  public JdbcClient jdbc() {
    return TransactionScope.current() == null ? loops.jdbc() : bean(JdbcClient.class);
  }

  /** The port as called by loops. An open transaction is not changed. */
  private <T> T asLoops(Class<T> port) {
    return LoopTransactions.around(port, bean(port), bean(Transactions.class));
  }

  @Override
  public Transactions transactions() {
    return new LoopTransactions(bean(Transactions.class));
  }

  @Override
  public TenantStore tenants() {
    return bean(TenantStore.class);
  }

  @Override
  public MembershipStore memberships() {
    return bean(MembershipStore.class);
  }

  @Override
  public PoolStore pools() {
    return bean(PoolStore.class);
  }

  @Override
  public SupplyStore supplies() {
    return bean(SupplyStore.class);
  }

  @Override
  public EfficiencyStore efficiency() {
    return bean(EfficiencyStore.class);
  }

  @Override
  public LogStore logs() {
    return bean(LogStore.class);
  }

  @Override
  public ProjectSecretStore secrets() {
    return bean(ProjectSecretStore.class);
  }

  @Override
  public LegalHoldStore legalHolds() {
    return bean(LegalHoldStore.class);
  }

  @Override
  public ConfigStore configs() {
    return bean(ConfigStore.class);
  }

  @Override
  public ScheduleStore schedules() {
    return bean(ScheduleStore.class);
  }

  @Override
  public ServiceKeyStore serviceKeys() {
    return bean(ServiceKeyStore.class);
  }

  @Override
  public ServingStore services() {
    return bean(ServingStore.class);
  }

  @Override
  public WebhookStore webhooks() {
    return bean(WebhookStore.class);
  }

  @Override
  public BudgetStore budgets() {
    return bean(BudgetStore.class);
  }

  @Override
  public LicenceStore licences() {
    return bean(LicenceStore.class);
  }

  @Override
  public TransferStore transfers() {
    return bean(TransferStore.class);
  }

  @Override
  public WorkdirStore workdirs() {
    return bean(WorkdirStore.class);
  }

  @Override
  public VolumeStore volumes() {
    return bean(VolumeStore.class);
  }

  @Override
  public PriceStore prices() {
    return bean(PriceStore.class);
  }

  @Override
  public TokenStore tokens() {
    return bean(TokenStore.class);
  }

  @Override
  public QuotaStore quotas() {
    return asLoops(QuotaStore.class);
  }

  @Override
  public QuotaTrees forest() {
    return bean(QuotaTrees.class);
  }

  @Override
  public FleetQuotaStore fleetQuotas() {
    return bean(FleetQuotaStore.class);
  }

  @Override
  public InventoryStore inventory() {
    return bean(InventoryStore.class);
  }

  @Override
  public JobStore jobs() {
    return asLoops(JobStore.class);
  }

  /** A read after it shows all that is committed now, unless the test itself holds it up. */
  void settled() {
    if (TransactionScope.current() == null) {
      sideWork.awaitEnd();
    }
  }

  @Override
  public EventLog events() {
    settled();
    return bean(EventLog.class);
  }

  @Override
  public FleetEvents fleetEvents() {
    settled();
    return bean(FleetEvents.class);
  }

  @Override
  public WakeUps wakeUps() {
    return bean(WakeUps.class);
  }

  @Override
  public LeaseStore leases() {
    return bean(LeaseStore.class);
  }

  @Override
  public IdempotencyStore idempotency() {
    return bean(IdempotencyStore.class);
  }

  @Override
  public AuditLog audit() {
    return bean(AuditLog.class);
  }

  @Override
  public ExplanationStore explanations() {
    return asLoops(ExplanationStore.class);
  }

  @Override
  public NamespaceRemovalStore removals() {
    return bean(NamespaceRemovalStore.class);
  }

  @Override
  public FrontStore fronts() {
    return bean(FrontStore.class);
  }

  @Override
  public ProgressStore progress() {
    return bean(ProgressStore.class);
  }

  @Override
  public OutputStore outputs() {
    return bean(OutputStore.class);
  }

  @Override
  public HealthTestStore healthTests() {
    return bean(HealthTestStore.class);
  }

  @Override
  public AdvanceReservationStore advanceReservations() {
    return bean(AdvanceReservationStore.class);
  }

  @Override
  public CampaignStore campaigns() {
    return bean(CampaignStore.class);
  }

  @Override
  public RepairStore repairs() {
    return bean(RepairStore.class);
  }

  @Override
  public HealthStore health() {
    return bean(HealthStore.class);
  }

  @Override
  public PlaceNotes placeNotes() {
    return bean(PlaceNotes.class);
  }

  @Override
  public SampleStore samples() {
    return bean(SampleStore.class);
  }

  @Override
  public DeviceStore devices() {
    return bean(DeviceStore.class);
  }

  @Override
  public OperationStore operations() {
    return bean(OperationStore.class);
  }

  @Override
  public ReservationStore reservations() {
    return bean(ReservationStore.class);
  }

  @Override
  public ActiveJobs activeJobs() {
    return bean(ActiveJobs.class);
  }

  @Override
  public WorldReader world() {
    settled();
    return bean(WorldReader.class);
  }

  @Override
  public IdSource ids() {
    return bean(IdSource.class);
  }

  @Override
  public List<AuditRecord> auditEntries() {
    return jdbc()
        .sql(
            "SELECT tenant, actor, administrator, operation, subject, allowed, detail FROM"
                + " audit_record ORDER BY seq")
        .query((row, n) ->
            new AuditRecord(
                new Actor(
                    new TenantId(row.getObject("tenant", UUID.class)),
                    row.getString("actor"),
                    row.getBoolean("administrator") ? Role.ADMIN : Role.TENANT_MEMBER),
                row.getString("operation"),
                row.getString("subject"),
                row.getBoolean("allowed"),
                Json.object(row.getString("detail"))))
        .list();
  }

  @Override
  public void moveNode(NodeId node, NodeState state) {
    jdbc()
        .sql("UPDATE node SET state = :state, version = version + 1 WHERE id = :id")
        .param("state", state.name())
        .param("id", node.value())
        .update();
  }

  @Override
  public Counters counters() {
    return bean(Counters.class);
  }

  @Override
  public void miscount(QuotaNode queue, Member member) {
    jdbc()
        .sql("UPDATE node SET allocated_gpu = allocated_gpu + 1000 WHERE id = :id")
        .param("id", member.node().value())
        .update();
    jdbc()
        .sql(
            "UPDATE gpu_slot SET allocated_milli = 1000 - allocated_milli"
                + " WHERE node = :id AND idx = :gpu")
        .param("id", member.node().value())
        .param("gpu", member.gpus().getFirst().index())
        .update();
    jdbc()
        .sql(
            "UPDATE quota_usage SET used = used + 1000, firm = firm + CASE WHEN firm > 0 THEN 1000"
                + " ELSE 0 END WHERE node = :queue AND resource = 'gpu'")
        .param("queue", queue.id().value())
        .update();
  }

  /** The clock is the server's. */
  /** The database's clock cannot be moved, so the stored moments are. */
  @Override
  public void advance(Duration by) {
    String earlier = " - make_interval(secs => " + by.toSeconds() + ")";
    jdbc().sql("UPDATE job SET retry_at = retry_at" + earlier).update();
    jdbc().sql("UPDATE job_element SET retry_at = retry_at" + earlier).update();
    jdbc().sql("UPDATE idempotency_key SET created_at = created_at" + earlier).update();
    jdbc().sql("UPDATE held_fleet_event SET due = due" + earlier).update();
  }

  @Override
  public void close() {
    loops.close();
    sideWork.close();
    context.close();
  }
}
