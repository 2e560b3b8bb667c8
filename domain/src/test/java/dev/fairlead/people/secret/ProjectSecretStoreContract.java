package dev.fairlead.people.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link ProjectSecretStore}, including the isolation of tenants. */
public abstract class ProjectSecretStoreContract {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private static SortedMap<String, Secret> values(String... keysAndValues) {
    SortedMap<String, Secret> values = new TreeMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], new Secret(keysAndValues[i + 1]));
    }
    return values;
  }

  private static SortedMap<String, Integer> sizes(SortedMap<String, Secret> values) {
    SortedMap<String, Integer> sizes = new TreeMap<>();
    values.forEach((key, value) -> sizes.put(key, value.reveal().length()));
    return sizes;
  }

  private ProjectSecret of(Project project, String name, SortedMap<String, Secret> values) {
    return new ProjectSecret(
        stores.ids().next(),
        project.tenant(),
        project.id(),
        name,
        sizes(values),
        NOW,
        new ProjectSecret.Change(NOW, "ana"),
        1);
  }

  private ProjectSecret kept(Project project, String name, String... keysAndValues) {
    SortedMap<String, Secret> values = values(keysAndValues);
    ProjectSecret secret = of(project, name, values);
    stores.secrets().insert(secret, values);
    return secret;
  }

  @Test
  void secretIsReadInItsProjectOnly() {
    TestWorld other = TestWorld.in(stores);
    Project sibling = world.newProject("sibling");
    stores.transactions().run(() -> stores.tenants().insert(sibling));
    ProjectSecret hub = kept(world.project(), "hub", "token", "abc", "user", "ana");
    ProjectSecret aws = kept(world.project(), "aws", "id", "1");
    ProjectSecret theirs = kept(sibling, "hub", "token", "other");

    ProjectSecretStore secrets = stores.secrets();
    assertThat(secrets.all(hub.tenant(), hub.project())).containsExactly(aws, hub);
    assertThat(secrets.find(hub.tenant(), hub.project(), "hub")).contains(hub);
    assertThat(secrets.find(hub.tenant(), sibling.id(), "hub")).contains(theirs);
    assertThat(secrets.find(other.tenant().id(), hub.project(), "hub")).isEmpty();
    assertThat(secrets.named(hub.tenant(), hub.project(), List.of("hub", "none")))
        .containsExactly(hub);
    assertThat(secrets.values(List.of(hub)))
        .isEqualTo(new TreeMap<>(java.util.Map.of("hub", values("token", "abc", "user", "ana"))));
    assertThat(secrets.find(other.tenant().id(), theirs.project(), "hub")).isEmpty();
  }

  @Test
  void updateReplacesAllValuesOfTheVersionItRead() {
    ProjectSecret first = kept(world.project(), "hub", "token", "abc", "user", "ana");
    ProjectSecret.Change change = new ProjectSecret.Change(NOW.plusSeconds(60), "ben");
    SortedMap<String, Secret> next = values("token", "xyz");
    ProjectSecret second = first.replaced(sizes(next), change);

    stores.secrets().update(second, next);

    assertThat(stores.secrets().find(first.tenant(), first.project(), "hub")).contains(second);
    assertThat(stores.secrets().values(List.of(second)).get("hub")).isEqualTo(next);
    // The size is not checked here. Fails when values are read regardless of their version.
    assertThat(stores.secrets().values(List.of(first))).isEmpty();
    assertThat(stores.secrets().values(List.of())).isEmpty();
    Refused.by(Guard.VERSION, () -> stores.secrets().update(second, next));
    Refused.by(Guard.VERSION, () -> stores.secrets().delete(first));
    stores.secrets().delete(second);
    assertThat(stores.secrets().all(first.tenant(), first.project())).isEmpty();
  }

  @Test
  void nameIsUniqueInItsProject() {
    kept(world.project(), "hub", "token", "abc");
    SortedMap<String, Secret> values = values("token", "abc");

    Refused.by(
        Guard.NAME_TAKEN,
        () -> stores.secrets().insert(of(world.project(), "hub", values), values));
  }
}
