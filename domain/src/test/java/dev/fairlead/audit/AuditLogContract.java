package dev.fairlead.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.world.Stores;
import dev.fairlead.world.TestWorld;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link AuditLog} keeps. */
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
  void entriesAreKeptInOrderWithTheirDetail() {
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
