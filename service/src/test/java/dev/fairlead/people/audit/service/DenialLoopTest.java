package dev.fairlead.people.audit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DenialLoopTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final AtomicLong nanos = new AtomicLong();
  private final DenialLoop denials =
      new DenialLoop(stores.transactions(), stores.tenants(), stores.audit(), nanos::get);

  private List<AuditEntry> rows() {
    return stores
        .transactions()
        .read(() ->
            stores.audit().newest(world.tenant().id(), AuditFilter.ALL, AuditPosition.END, 100));
  }

  private void deny(String name, String operation, String path) {
    Actor actor = new Actor(world.tenant().id(), name, Role.TENANT_VIEWER);
    denials.note(
        actor.by(new Origin("request-" + path, "192.0.2.7")),
        operation,
        path,
        ProblemCode.FORBIDDEN);
  }

  /** Fails when each denial is a row, or one caller's flood hides the denial of another. */
  @Test
  void aFloodOfDenialsIsOneRowForEachCaller() {
    for (int i = 0; i < 1_000; i++) {
      deny("ana", i % 4 == 0 ? "submitJob" : "cancelJob", "/" + i);
    }
    deny("bob", "deleteQuota", "/quotas/a");
    denials.tick();

    assertThat(rows())
        .extracting(AuditEntry::actor, AuditEntry::allowed, AuditEntry::count)
        .containsExactlyInAnyOrder(tuple("ana", false, 1_000), tuple("bob", false, 1));
    AuditEntry flood =
        rows().stream().filter(r -> r.actor().equals("ana")).findFirst().orElseThrow();
    assertThat(flood.detail())
        .containsEntry("code", "FORBIDDEN")
        .containsEntry("operations", Map.of("submitJob", 250, "cancelJob", 750));
    assertThat(flood.requestId()).isEqualTo("request-/0");
  }

  private Tenant firstTenant() {
    Tenant first =
        new Tenant(new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1);
    stores.transactions().run(() -> stores.tenants().insert(first));
    return first;
  }

  private void guess(DenialLoop loop, int number, int machines) {
    loop.unknown(
        new Origin("request-" + number, "192.0.2." + number % machines),
        "/api/v1/jobs",
        ProblemCode.UNAUTHENTICATED);
  }

  /** Fails when a row, or memory, grows with the guesses or with the machines that guess. */
  @Test
  void aFloodWithoutATokenIsOneRowOfBoundedSize() {
    guess(denials, 0, 200);
    denials.tick();
    Tenant first = firstTenant();
    for (int i = 1; i < 10_000; i++) {
      guess(denials, i, 200);
    }
    denials.tick();
    denials.tick();

    AuditRecord row = stores.auditEntries().getFirst();
    assertThat(stores.auditEntries()).hasSize(1);
    assertThat(row.actor().tenant()).isEqualTo(first.id());
    assertThat(row.actor().name()).isEqualTo("(unauthenticated)");
    assertThat(row.actor().origin()).isEqualTo(new Origin("request-0", "192.0.2.0"));
    assertThat(row.operation()).isEqualTo("authenticate");
    assertThat(row.subject()).isEqualTo("/api/v1/jobs");
    assertThat(row.allowed()).isFalse();
    assertThat(row.count()).isEqualTo(10_000);
    assertThat(row.detail()).containsEntry("code", "UNAUTHENTICATED");
    assertThat((Map<?, ?>) row.detail().get("addresses")).hasSize(20);
  }

  /** Fails when a second's denials are written twice, or the last ones are lost at the end. */
  @Test
  void everyDenialIsWrittenOnceEvenAtShutdown() {
    deny("ana", "submitJob", "/a");
    denials.tick();
    denials.tick();
    deny("ana", "submitJob", "/b");
    denials.close();

    assertThat(rows()).extracting(AuditEntry::subject).containsExactly("/b", "/a");
  }

  /** Fails when a scraper without a token has a row each second, or its rows stop for good. */
  @Test
  void callersWithoutATokenHaveARowAMinute() {
    firstTenant();
    for (int second = 0; second < 150; second++) {
      guess(denials, second, 1);
      denials.tick();
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    }
    assertThat(stores.auditEntries()).extracting(AuditRecord::count).containsExactly(1, 60, 60);
    denials.close();
    assertThat(stores.auditEntries()).extracting(AuditRecord::count).endsWith(29);
  }

  /** Fails when failing rows of one tenant block rows of other tenants. */
  @Test
  void unwritableDenialsOfOneTenantDelayNoOther() {
    TenantId broken = new TenantId(stores.ids().next());
    DenialLoop loop = refusing(row -> row.actor().tenant().equals(broken));
    firstTenant();
    loop.note(
        new Actor(broken, "eve", Role.TENANT_VIEWER), "submitJob", "/", ProblemCode.FORBIDDEN);
    Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_VIEWER);
    loop.note(ana, "submitJob", "/a", ProblemCode.FORBIDDEN);
    guess(loop, 1, 1);

    assertThatIllegalStateException().isThrownBy(loop::tick);
    assertThat(stores.auditEntries())
        .extracting(row -> row.actor().name())
        .containsExactly("ana", "(unauthenticated)");
  }

  private DenialLoop refusing(Predicate<AuditRecord> refused) {
    return new DenialLoop(
        stores.transactions(),
        stores.tenants(),
        new AuditLog() {
          @Override
          public void append(List<AuditRecord> entries) {
            if (refused.test(entries.getFirst())) {
              throw new IllegalStateException("the database is away");
            }
            stores.audit().append(entries);
          }

          @Override
          public List<AuditEntry> newest(
              TenantId tenant, AuditFilter filter, AuditPosition before, int limit) {
            throw new AssertionError("a loop of denials reads nothing");
          }

          @Override
          public List<ConfigVersion> versions(
              TenantId tenant,
              Set<ConfigKind> kinds,
              @Nullable String name,
              long before,
              int limit) {
            throw new AssertionError("a loop of denials reads nothing");
          }
        },
        nanos::get);
  }

  /** Fails when rows are lost while the database is unavailable. */
  @Test
  void unwrittenDenialsAreWrittenLater() {
    AtomicBoolean away = new AtomicBoolean(true);
    DenialLoop loop = refusing(_ -> away.getAndSet(false));
    Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_VIEWER);
    firstTenant();
    guess(loop, 1, 9);
    loop.note(ana, "submitJob", "/a", ProblemCode.FORBIDDEN);
    assertThatIllegalStateException().isThrownBy(loop::tick);
    loop.note(ana, "cancelJob", "/b", ProblemCode.FORBIDDEN);
    loop.tick();

    assertThat(rows())
        .extracting(AuditEntry::subject, AuditEntry::count)
        .containsExactly(tuple("/a", 2));
    assertThat(stores.auditEntries()).hasSize(2);
  }
}
