package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import java.util.EnumSet;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Retention of the configuration history. */
class ConfigVersionsTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private void changed(String name, int times) {
    Actor ana = new Actor(world.tenant().id(), "ana", Role.ADMIN);
    for (int i = 0; i < times; i++) {
      AuditRecord record =
          new AuditRecord(ana, "updateQuota", name, true, new TreeMap<>())
              .kept(ConfigKind.QUEUE, name, "was", "is " + i);
      stores.transactions().run(() -> stores.audit().append(record));
    }
  }

  private List<ConfigVersion> versions() {
    return stores
        .transactions()
        .read(() ->
            stores
                .audit()
                .versions(
                    world.tenant().id(),
                    EnumSet.allOf(ConfigKind.class),
                    null,
                    Long.MAX_VALUE,
                    9_999));
  }

  /** Fails when a kind that a later version of the product wrote breaks the whole list. */
  @Test
  void unknownKindsAreOmitted() {
    changed("known", 1);
    changed("later", 1);
    Embedded.run(
        "UPDATE config_version SET kind = 'LATER' WHERE name = 'later' AND tenant = '%s'"
            .formatted(world.tenant().id().value()));

    assertThat(versions()).extracting(v -> v.change().name()).containsExactly("known");
  }

  /** Fails when temporary names leave permanent versions. */
  @Test
  void versionIsDeletedAfterTwoYears() {
    changed("old", 1);
    Embedded.run(
        "UPDATE config_version SET at = at - interval '732 days' WHERE tenant = '%s'"
            .formatted(world.tenant().id().value()));
    changed("new", 1);
    RetentionStore rows = stores.bean(RetentionStore.class);
    assertThat(rows.oldest().get(RetentionStore.Kind.CONFIG_VERSIONS))
        .isGreaterThan(Ages.DEFAULT.of(RetentionStore.Kind.CONFIG_VERSIONS));

    while (rows.clear(RetentionStore.Kind.CONFIG_VERSIONS, Ages.DEFAULT, 10) > 0) {}

    assertThat(versions()).extracting(v -> v.change().name()).containsExactly("new");
  }

  /**
   * Fails when the number of versions of a name is unbounded, or includes versions of another name.
   */
  @Test
  void newestVersionsOfANameAreRetained() {
    changed("other", 1);
    changed("research", ConfigVersion.KEPT + 3);

    assertThat(versions()).hasSize(ConfigVersion.KEPT + 1);
    assertThat(versions().getLast().change().name()).isEqualTo("other");
    assertThat(versions().getFirst().change().after()).contains("is " + (ConfigVersion.KEPT + 2));
  }
}
