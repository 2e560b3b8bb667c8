package dev.fairlead.kernel.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class ConfigStoreContract {
  private static final ConfigType<Sample> SAMPLES = new ConfigType<>(ConfigKind.POOL, Sample.class);
  private Stores stores;
  private ConfigStore configs;
  private TestWorld world;
  private String name;

  /** A value with a part that may be absent. */
  public record Sample(int amount, List<String> words) {}

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    configs = stores.configs();
    name = world.uniqueName("sample");
  }

  private ConfigDocument<Sample> ofTenant() {
    return new ConfigDocument<>(
        SAMPLES, name, world.tenant().id(), null, new Sample(3, List.of("a")), 0);
  }

  /** Fails when a change replaces a version that its writer has not read. */
  @Test
  void aChangeNamesTheStoredVersion() {
    ConfigDocument<Sample> first = configs.put(ofTenant());
    ConfigDocument<Sample> second = configs.put(first.with(new Sample(4, List.of())));

    assertThat(first.version()).isEqualTo(1);
    assertThat(second.version()).isEqualTo(2);
    assertThat(configs.find(SAMPLES, world.tenant().id(), name)).contains(second);
    Refused.by(Guard.VERSION, () -> configs.put(first.with(new Sample(5, List.of()))));
    Refused.by(Guard.VERSION, () -> configs.put(ofTenant()));
    Refused.by(Guard.VERSION, () -> configs.remove(first));
    assertThat(configs.find(SAMPLES, world.tenant().id(), name)).contains(second);
  }

  /** Fails when an equal value counts as a change. */
  @Test
  void anEqualValueLeavesTheVersion() {
    ConfigDocument<Sample> first = configs.put(ofTenant());

    assertThat(configs.put(first.with(new Sample(3, List.of("a")))).version()).isEqualTo(1);
    assertThat(configs.put(first.with(new Sample(4, List.of("a")))).version()).isEqualTo(2);
  }

  /** Fails when another tenant or another kind finds the document. */
  @Test
  void documentIsFoundByItsKindAndOwnerOnly() {
    int before = configs.count(SAMPLES);
    ConfigDocument<Sample> stored = configs.put(ofTenant());

    assertThat(configs.all(SAMPLES)).contains(stored).hasSize(configs.count(SAMPLES));
    assertThat(configs.count(SAMPLES)).isEqualTo(before + 1);
    assertThat(configs.all(SAMPLES)).contains(stored);
    assertThat(configs.all(SAMPLES, world.tenant().id())).containsExactly(stored);
    assertThat(configs.all(SAMPLES, TestWorld.in(stores).tenant().id())).isEmpty();
    assertThat(configs.find(SAMPLES, null, name)).isEmpty();
    assertThat(configs.find(SAMPLES, TestWorld.in(stores).tenant().id(), name)).isEmpty();
    assertThat(configs.find(Licence.DOCUMENTS, null, name)).isEmpty();
    configs.remove(stored);
    assertThat(configs.find(SAMPLES, world.tenant().id(), name)).isEmpty();
  }

  /** Fails when the documents of a deleted project remain. */
  @Test
  void aDocumentIsDeletedWithItsProject() {
    Project project = world.newProject("documented");
    stores.transactions().run(() -> stores.tenants().insert(project));
    ConfigDocument<Sample> stored =
        configs.put(
            new ConfigDocument<>(
                SAMPLES, name, world.tenant().id(), project.id(), new Sample(1, List.of()), 0));

    stores.transactions().run(() -> stores.tenants().delete(project));

    assertThat(configs.all(SAMPLES)).doesNotContain(stored);
  }
}
