package dev.fairlead.money.usage.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Storage and reports that every {@link UseLedger} must provide. */
public abstract class UseLedgerContract {
  private static final long HOUR = 3_600_000;
  private static final long BEGIN = Instant.parse("2031-05-01T00:00:00Z").toEpochMilli();
  private static final Flavor SPOT = new Flavor("H100", CapacityType.SPOT);
  private final TenantId tenant = new TenantId(UUID.randomUUID());
  private final TenantId stranger = new TenantId(UUID.randomUUID());
  private final ProjectId project = new ProjectId(UUID.randomUUID());
  private final SortedMap<UseKey, Long> hour = new TreeMap<>();

  protected abstract UseLedger ledger();

  private UseKey use(TenantId of, String user) {
    return UseKey.of(UseKind.USE)
        .with(UseDimension.TENANT, of)
        .with(UseDimension.PROJECT, project)
        .with(UseDimension.QUEUE, new QuotaNodeId(new UUID(0, 2)))
        .with(UseDimension.USER, user)
        .with(UseDimension.CLUSTER, new ClusterId(new UUID(0, 3)))
        .with(UseDimension.POOL, "")
        .with(SPOT);
  }

  private static UseKey labelled(UseKey use, String label, String value) {
    UseKey bare = use.without(UseDimension.CLUSTER);
    return new UseKey(UseKind.LABELLED, bare.at(), new TreeMap<>(Map.of(label, value)));
  }

  private static UseKey reserved(@Nullable TenantId of) {
    return UseKey.of(UseKind.RESERVED)
        .with(UseDimension.TENANT, of)
        .with(UseDimension.MODEL, "H100")
        .with(UseDimension.DETAIL, "FREE");
  }

  private static UseKey fleet(@Nullable TenantId owner) {
    return UseKey.of(UseKind.FLEET)
        .with(UseDimension.CLUSTER, new ClusterId(new UUID(0, 3)))
        .with(UseDimension.POOL, "a \"quoted\" {pool}, \\")
        .with(UseDimension.OWNER, owner)
        .with(SPOT)
        .with(UseDimension.DETAIL, "FREE");
  }

  private void write(long number) {
    ledger().write(new UseFacts(BEGIN + number * HOUR, hour));
    hour.clear();
  }

  private List<UseSum> report(UseQuery query) {
    List<UseSum> rows = new ArrayList<>();
    ledger().report(query, rows::add);
    return rows;
  }

  private UseTimes whole() {
    return UseTimes.spans(List.of(BEGIN), BEGIN + 24 * HOUR);
  }

  /** Fails when a dimension is lost, or facts of an earlier write remain. */
  @Test
  void anHourIsReplaced() {
    hour.put(use(tenant, "ada").with(UseDimension.SERVICE, "s"), 1L);
    hour.put(labelled(use(tenant, "ada"), "grant", "17"), 1L);
    hour.put(reserved(null), 2L);
    hour.put(fleet(stranger), 3L);
    UseFacts first = new UseFacts(BEGIN, hour);
    ledger().write(first);
    assertThat(ledger().stored(BEGIN)).isEqualTo(first);

    UseFacts second = new UseFacts(BEGIN, new TreeMap<>(Map.of(fleet(null), 4L)));
    ledger().write(second);
    assertThat(ledger().stored(BEGIN)).isEqualTo(second);
    assertThat(first.differences(second)).hasSize(5);
    assertThat(ledger().stored(BEGIN + HOUR).sums()).isEmpty();
  }

  /** Fails when a row appears in the wrong group or period, or periods come before dimensions. */
  @Test
  void factsAreSummedByDimensionsAndPeriods() {
    for (long number = 0; number < 4; number++) {
      hour.put(use(tenant, "ada"), 1 + number);
      hour.put(use(tenant, "bob"), 10L);
      write(number);
    }
    UseTimes spans = UseTimes.spans(List.of(BEGIN, BEGIN + HOUR), BEGIN + 3 * HOUR);

    assertThat(report(UseQuery.of(UseKind.USE, tenant, spans, EnumSet.of(UseDimension.USER))))
        .extracting(sum -> sum.key().text(UseDimension.USER), UseSum::beginMillis, UseSum::amount)
        .containsExactly(
            tuple("ada", BEGIN, 1L),
            tuple("ada", BEGIN + HOUR, 2L + 3),
            tuple("bob", BEGIN, 10L),
            tuple("bob", BEGIN + HOUR, 20L));
    UseTimes hours = UseTimes.hours(BEGIN, BEGIN + 2 * HOUR, true);
    assertThat(report(UseQuery.of(UseKind.USE, tenant, hours, EnumSet.of(UseDimension.USER))))
        .extracting(sum -> sum.key().text(UseDimension.USER), UseSum::beginMillis)
        .containsExactly(
            tuple("ada", BEGIN),
            tuple("bob", BEGIN),
            tuple("ada", BEGIN + HOUR),
            tuple("bob", BEGIN + HOUR));
    UseQuery ofAda =
        UseQuery.of(UseKind.USE, tenant, whole(), EnumSet.of(UseDimension.PROJECT))
            .only(UseDimension.USER, List.of("ada", "nobody"));
    assertThat(report(ofAda)).extracting(UseSum::amount).containsExactly(1L + 2 + 3 + 4);
    assertThat(report(ofAda.only(UseDimension.PROJECT, List.of()))).isEmpty();
  }

  /** Fails when a tenant sees the fleet, or facts of another tenant. */
  @Test
  void aTenantSeesItsFactsAndSharedGpus() {
    hour.put(use(tenant, "ada"), 1L);
    hour.put(use(stranger, "eve"), 2L);
    hour.put(reserved(null), 4L);
    hour.put(reserved(stranger), 8L);
    hour.put(fleet(null), 16L);
    hour.put(fleet(tenant), 32L);
    write(0);

    assertThat(sum(UseKind.USE, tenant)).isEqualTo(1);
    assertThat(sum(UseKind.RESERVED, tenant)).isEqualTo(4);
    assertThat(sum(UseKind.RESERVED, stranger)).isEqualTo(4 + 8);
    assertThat(sum(UseKind.FLEET, tenant)).isZero();
    assertThat(sum(UseKind.USE, null)).isEqualTo(1 + 2);
    assertThat(sum(UseKind.RESERVED, null)).isEqualTo(4 + 8);
    assertThat(sum(UseKind.FLEET, null)).isEqualTo(16 + 32);
  }

  private long sum(UseKind kind, @Nullable TenantId of) {
    return report(UseQuery.of(kind, of, whole(), EnumSet.noneOf(UseDimension.class))).stream()
        .mapToLong(UseSum::amount)
        .sum();
  }

  /** Fails when rows by label do not add up to the use, or use without the label is lost. */
  @Test
  void labelledUseIsPartOfTheUse() {
    UseKey ada = use(tenant, "ada");
    hour.put(ada, 10L);
    hour.put(labelled(ada, "grant", "17"), 3L);
    hour.put(labelled(ada, "paper", "x"), 4L);
    write(0);

    UseQuery query =
        new UseQuery(
            EnumSet.of(UseKind.USE, UseKind.LABELLED),
            tenant,
            whole(),
            EnumSet.of(UseDimension.USER),
            List.of("grant"),
            Map.of(),
            UseQuery.ALL);
    assertThat(report(query))
        .extracting(sum -> sum.key().labels().get("grant"), UseSum::amount)
        .containsExactlyInAnyOrder(tuple("", 7L), tuple("17", 3L));
  }
}
