package dev.fairlead.work.workload.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.AccountTokens;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lifecycle of the token of a cluster. */
class TokenRenewalTest {
  private static final Instant ISSUED = Instant.parse("2030-01-01T00:00:00Z");
  private static final Secret SHORT = AccountTokens.token(ISSUED, ISSUED.plus(Duration.ofHours(3)));
  private static final Secret LONG =
      AccountTokens.token(ISSUED.plus(Duration.ofHours(2)), ISSUED.plus(Duration.ofHours(26)));
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final MeterRegistry metrics = new SimpleMeterRegistry();
  private long nanos;
  private final TokenRenewal renewal =
      new TokenRenewal(
          world.cluster().id(),
          stores.inventory(),
          new ClusterTokens(
              stores.inventory(), stores.tenants(), stores.transactions(), stores.audit(), metrics),
          () -> nanos);
  private final List<AccountToken> asked = new ArrayList<>();

  TokenRenewalTest() {
    stores
        .transactions()
        .run(() ->
            stores
                .tenants()
                .insert(
                    new Tenant(
                        new TenantId(stores.ids().next()),
                        Tenant.FIRST,
                        "",
                        Tenant.State.ACTIVE,
                        1)));
  }

  private double renewals(String outcome) {
    return metrics
        .counter(
            Metric.CLUSTER_TOKEN_RENEWALS.meter(),
            Metric.CLUSTER_TOKEN_RENEWALS.tags(cluster().name(), outcome))
        .count();
  }

  private void has(Connection connection) {
    Cluster now = cluster();
    stores
        .transactions()
        .run(() ->
            stores
                .inventory()
                .configure(
                    now.configured(now.capacity(), now.pricePerGpuHour(), now.settings()),
                    connection));
  }

  private Cluster cluster() {
    return stores.inventory().cluster(world.cluster().id()).orElseThrow();
  }

  private Connection stored() {
    return stores.inventory().connection(world.cluster().id());
  }

  private void look(Duration age, TokenRenewal.Issuer issuer) {
    lookAfter(Duration.ofMinutes(6), age, issuer);
  }

  private void lookAfter(Duration pause, Duration age, TokenRenewal.Issuer issuer) {
    nanos += pause.toNanos();
    renewal.look(
        lease,
        used -> {
          asked.add(used);
          return issuer.token(used);
        },
        ISSUED.plus(age));
  }

  /** Fails when it is requested too early, not stored, or requested in each pass. */
  @Test
  void tokenIsReplacedBeforeTwoThirdsOfItsLifetime() {
    has(AccountTokens.connection(SHORT));
    long version = cluster().version();
    look(Duration.ofMinutes(107), used -> LONG);
    assertThat(asked).isEmpty();
    assertThat(metrics.find(Metric.CLUSTER_TOKEN_RENEWALS.meter()).counters())
        .as("an alert sees the first failure only in a series that is there before it")
        .hasSize(2)
        .allMatch(counter -> counter.count() == 0);
    assertThat(renewal.left()).contains(Duration.ofMinutes(73));

    look(Duration.ofHours(2), used -> LONG);
    assertThat(asked).extracting(AccountToken::account).containsExactly("fairlead");
    assertThat(stored()).isEqualTo(AccountTokens.connection(LONG));
    assertThat(cluster().version()).as("each process connects again").isEqualTo(version + 1);

    look(Duration.ofHours(3), used -> LONG);
    assertThat(asked).hasSize(1);
  }

  /** Fails when the audit row of a renewal is missing, or contains the token. */
  @Test
  void aRenewalIsAnAuditRowOfTheClusterWithoutTheToken() {
    has(AccountTokens.connection(SHORT));
    Cluster before = cluster();
    look(Duration.ofHours(2), used -> LONG);

    AuditRecord row = stores.auditEntries().getLast();
    assertThat(row.operation()).isEqualTo("renewClusterToken");
    assertThat(row.subject()).isEqualTo(before.id().text());
    assertThat(row.actor().name()).isEqualTo("supervisor");
    assertThat(row.detail())
        .containsEntry("account", "fairlead-system/fairlead")
        .containsEntry("expiresAt", "2030-01-02T02:00:00Z")
        .containsAllEntriesOf(
            AuditRecord.change(row.actor(), "x", before, cluster(), c -> c.id().text()).detail());
    assertThat(row.toString()).doesNotContain(LONG.reveal());
    assertThat(renewals("renewed")).isEqualTo(1);
  }

  /** Fails when a refusal, or a useless token, replaces a valid one. */
  @Test
  void rejectedRenewalIsRetriedAndTheTokenStays() {
    has(AccountTokens.connection(SHORT));
    look(
        Duration.ofHours(2),
        used -> {
          throw new IOException("may not create serviceaccounts/token");
        });
    look(Duration.ofHours(2), used -> SHORT);
    look(Duration.ofHours(2), used -> new Secret("opaque"));
    renewal.look(lease, used -> LONG, ISSUED.plusSeconds(7200));
    assertThat(stored()).as("six minutes later").isEqualTo(AccountTokens.connection(SHORT));
    assertThat(asked).hasSize(3);
    assertThat(renewals("failed")).isEqualTo(3);
    assertThat(stores.auditEntries()).isEmpty();

    look(Duration.ofHours(2), used -> LONG);
    assertThat(stored()).isEqualTo(AccountTokens.connection(LONG));
  }

  /** Fails when an operator's token waits for the retry of the refused one. */
  @Test
  void tokenIsCheckedEveryMinuteAfterARefusedRenewal() {
    has(AccountTokens.connection(AccountTokens.token(ISSUED, ISSUED.plus(Duration.ofDays(365)))));
    look(
        Duration.ofDays(250),
        used -> {
          throw new IOException("may not create serviceaccounts/token");
        });
    look(Duration.ofDays(250), used -> LONG);
    assertThat(asked).as("it rests for an hour").hasSize(1);
    has(AccountTokens.connection(SHORT));
    lookAfter(Duration.ofMinutes(1), Duration.ofHours(2), used -> LONG);
    assertThat(stored()).isEqualTo(AccountTokens.connection(LONG));
  }

  /** Fails when a token of another account is accepted. */
  @Test
  void tokenOfAnotherAccountIsNotStored() {
    has(AccountTokens.connection(SHORT));
    Secret other =
        AccountTokens.of(
            "{\"exp\":2000000000,\"iat\":1893456000,\"sub\":\"system:serviceaccount:fairlead-system:builder\"}");
    look(Duration.ofHours(2), used -> other);
    assertThat(stored()).isEqualTo(AccountTokens.connection(SHORT));
  }

  /** Fails when a token for a year is retained because the new one is shorter. */
  @Test
  void aLongTokenIsReplacedByAShorterOne() {
    Instant now = ISSUED.plus(Duration.ofDays(250));
    Secret week = AccountTokens.token(now, now.plus(Duration.ofDays(7)));
    has(AccountTokens.connection(AccountTokens.token(ISSUED, ISSUED.plus(Duration.ofDays(365)))));
    look(Duration.ofDays(250), used -> week);
    assertThat(stored()).isEqualTo(AccountTokens.connection(week));
  }

  /** Fails when credentials that an operator set during the request are overwritten. */
  @Test
  void credentialsOfAnOperatorAreNotReplaced() {
    has(AccountTokens.connection(SHORT));
    Connection given = AccountTokens.connection(new Secret("of an operator"));
    look(
        Duration.ofHours(2),
        used -> {
          has(given);
          return LONG;
        });
    assertThat(stored()).isEqualTo(given);
    look(Duration.ofDays(9), used -> LONG);
    assertThat(asked).as("it is not a token of an account").hasSize(1);
  }
}
