package dev.fairlead.people.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class AuditLogContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void entriesAreStoredInOrderWithTheirDetail() {
    AuditRecord allowed = entry("job.submit", true);
    AuditRecord refused = entry("cluster.register", false);

    stores.transactions().run(() -> stores.audit().append(allowed));
    stores.transactions().run(() -> stores.audit().append(refused));

    assertThat(mine()).containsExactly(allowed, refused);
  }

  @Test
  void anEntryIsUndoneWithItsChange() {
    assertThatThrownBy(() ->
            stores
                .transactions()
                .run(() -> {
                  stores.audit().append(entry("job.submit", true));
                  throw new IllegalStateException("undo");
                }))
        .hasMessage("undo");

    assertThat(mine()).isEmpty();
  }

  /** Fails when a filter is missing from the query, or a page begins at the wrong row. */
  @Test
  void entriesAreFilteredAndReturnedNewestFirst() {
    Origin request = new Origin("req-1", "192.0.2.7");
    Actor bob = new Actor(world.tenant().id(), "bob", Role.ADMIN).by(request);
    append(entry("job.submit", true));
    append(new AuditRecord(bob, "job.submit", "train", true, new TreeMap<>(), 12));
    append(new AuditRecord(bob, "job.cancel", "other", false, new TreeMap<>(), 3));

    List<AuditEntry> all = find(AuditFilter.ALL, AuditPosition.END, 9);
    assertThat(all)
        .extracting(AuditEntry::operation, AuditEntry::actor, AuditEntry::count)
        .containsExactly(
            tuple("job.cancel", "bob", 3),
            tuple("job.submit", "bob", 12),
            tuple("job.submit", "ana", 1));
    assertThat(all.getFirst().requestId()).isEqualTo("req-1");
    assertThat(all.getFirst().address()).isEqualTo("192.0.2.7");
    assertThat(all.getLast().requestId()).isNull();
    assertThat(all.getLast().detail()).containsEntry("name", "train");
    assertThat(find(AuditFilter.ALL, all.getFirst().position(), 1)).containsExactly(all.get(1));
    assertThat(find(filter("bob", null, null, null), AuditPosition.END, 9)).hasSize(2);
    assertThat(find(filter(null, "job.cancel", null, null), AuditPosition.END, 9)).hasSize(1);
    assertThat(find(filter(null, null, "train", null), AuditPosition.END, 9)).hasSize(2);
    assertThat(find(filter(null, null, null, false), AuditPosition.END, 9)).hasSize(1);
    Instant middle = all.get(1).at();
    assertThat(find(between(middle, null), AuditPosition.END, 9))
        .containsExactly(all.get(0), all.get(1));
    assertThat(find(between(null, middle), AuditPosition.END, 9)).containsExactly(all.get(2));
  }

  /** Fails when a batch is found only under its first job. */
  @Test
  void batchIsFoundUnderEachOfItsJobs() {
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("jobs", List.of("job_a", "job_b"));
    Actor ana = new Actor(world.tenant().id(), "ana", Role.ADMIN);
    append(new AuditRecord(ana, "bulkCancelJobs", "job_a", true, detail, 2));

    assertThat(find(filter(null, null, "job_a", null), AuditPosition.END, 9)).hasSize(1);
    assertThat(find(filter(null, null, "job_b", null), AuditPosition.END, 9)).hasSize(1);
    assertThat(find(filter(null, null, "job_c", null), AuditPosition.END, 9)).isEmpty();
  }

  /** Fails when a tenant reads the rows of another. */
  @Test
  void tenantFindsOnlyItsEntries() {
    append(entry("job.submit", true));
    TestWorld other = TestWorld.in(stores);

    assertThat(
            stores
                .transactions()
                .read(() ->
                    stores
                        .audit()
                        .newest(other.tenant().id(), AuditFilter.ALL, AuditPosition.END, 9)))
        .isEmpty();
  }

  /**
   * Fails when a version is stored without its change, out of order, or returned to another tenant.
   */
  @Test
  void changesOfTheConfigurationAreFoundNewestFirst() {
    append(change("research", null, "one"));
    append(entry("job.submit", true));
    append(change("other", null, "three"));
    Actor ana = new Actor(world.tenant().id(), "ana", Role.ADMIN);
    append(
        new AuditRecord(ana, "updatePool", "research", true, new TreeMap<>())
            .kept(ConfigKind.POOL, "research", null, "pool"));
    append(change("research", "one", null));

    assertThat(versions(world, EnumSet.allOf(ConfigKind.class), null, Long.MAX_VALUE)).hasSize(4);
    Set<ConfigKind> queues = Set.of(ConfigKind.QUEUE);
    List<ConfigVersion> all = versions(world, queues, null, Long.MAX_VALUE);
    assertThat(all)
        .extracting(ConfigVersion::change)
        .containsExactly(
            new ConfigChange(ConfigKind.QUEUE, "research", "\"one\"", null),
            new ConfigChange(ConfigKind.QUEUE, "other", null, "\"three\""),
            new ConfigChange(ConfigKind.QUEUE, "research", null, "\"one\""));
    assertThat(all.getFirst().operation()).isEqualTo("updateQueue");
    assertThat(versions(world, queues, "other", Long.MAX_VALUE)).containsExactly(all.get(1));
    assertThat(versions(world, Set.of(), null, Long.MAX_VALUE)).isEmpty();
    assertThat(versions(world, queues, null, all.get(1).version())).containsExactly(all.get(2));
    assertThat(find(AuditFilter.ALL, AuditPosition.END, 9))
        .extracting(AuditEntry::seq)
        .contains(all.get(0).version(), all.get(1).version(), all.get(2).version());
    assertThat(versions(TestWorld.in(stores), queues, null, Long.MAX_VALUE)).isEmpty();
  }

  /**
   * Fails when the history or the audit loses the reason, or replaces a reason of the operation.
   */
  @Test
  void changeIsFoundWithItsReason() {
    Actor ana =
        new Actor(world.tenant().id(), "ana", Role.ADMIN).because(new Cause("Grün statt rot", 7L));
    append(
        new AuditRecord(ana, "updateQueue", "research", true, new TreeMap<>())
            .kept(ConfigKind.QUEUE, "research", null, "one"));
    TreeMap<String, Object> own = new TreeMap<>(Map.of("reason", "its own"));
    append(new AuditRecord(ana, "quarantineNode", "gpu-1", true, own));
    append(new AuditRecord(ana, "updateQueue", "research", false, new TreeMap<>()));

    assertThat(versions(world, Set.of(ConfigKind.QUEUE), null, Long.MAX_VALUE))
        .extracting(ConfigVersion::cause)
        .containsExactly(ana.cause());
    assertThat(find(AuditFilter.ALL, AuditPosition.END, 9))
        .extracting(entry -> entry.detail().get(AuditRecord.REASON))
        .containsExactly(null, "its own", "Grün statt rot");
  }

  private AuditRecord change(String name, @Nullable String before, @Nullable String after) {
    Actor ana = new Actor(world.tenant().id(), "ana", Role.ADMIN);
    return new AuditRecord(ana, "updateQueue", name, true, new TreeMap<>())
        .kept(ConfigKind.QUEUE, name, before, after);
  }

  private List<ConfigVersion> versions(
      TestWorld in, Set<ConfigKind> kinds, @Nullable String name, long before) {
    return stores
        .transactions()
        .read(() -> stores.audit().versions(in.tenant().id(), kinds, name, before, 9));
  }

  private void append(AuditRecord record) {
    stores.transactions().run(() -> stores.audit().append(record));
  }

  private List<AuditEntry> find(AuditFilter filter, AuditPosition before, int limit) {
    return stores
        .transactions()
        .read(() -> stores.audit().newest(world.tenant().id(), filter, before, limit));
  }

  private static AuditFilter filter(
      @Nullable String actor,
      @Nullable String operation,
      @Nullable String subject,
      @Nullable Boolean allowed) {
    return new AuditFilter(actor, operation, subject, allowed, null, null);
  }

  private static AuditFilter between(@Nullable Instant since, @Nullable Instant until) {
    return new AuditFilter(null, null, null, null, since, until);
  }

  private List<AuditRecord> mine() {
    return stores.auditEntries().stream()
        .filter(e -> e.actor().tenant().equals(world.tenant().id()))
        .toList();
  }

  private AuditRecord entry(String operation, boolean allowed) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("name", "train");
    detail.put("members", 4);
    Actor actor = new Actor(world.tenant().id(), "ana", Role.ADMIN);
    return new AuditRecord(actor, operation, "train", allowed, detail);
  }
}
