package dev.fairlead.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.tenant.Project;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.Refused;
import dev.fairlead.volume.Volume.Change;
import dev.fairlead.volume.Volume.Claim;
import dev.fairlead.world.Stores;
import dev.fairlead.world.TestWorld;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link VolumeStore} keeps, and inside which walls. */
public abstract class VolumeStoreContract {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private Volume of(Project project, String name, @Nullable String storageClass) {
    return new Volume(
        stores.ids().next(),
        project.tenant(),
        project.id(),
        name,
        new Claim(102_400, storageClass, VolumeAccess.READ_WRITE_ONCE),
        NOW,
        new Change(NOW, "ana"),
        1);
  }

  private Volume kept(Project project, String name, @Nullable String storageClass) {
    Volume volume = of(project, name, storageClass);
    stores.volumes().insert(volume);
    return volume;
  }

  @Test
  void aVolumeComesBackToItsProjectAndToNoOther() {
    TestWorld other = TestWorld.in(stores);
    Project sibling = world.newProject("sibling");
    stores.transactions().run(() -> stores.tenants().insert(sibling));
    Volume training = kept(world.project(), "training", "fast");
    Volume images = kept(world.project(), "images", null);
    Volume theirs = kept(sibling, "training", null);

    VolumeStore volumes = stores.volumes();
    assertThat(volumes.all(training.tenant(), training.project()))
        .containsExactly(images, training);
    assertThat(volumes.find(training.tenant(), training.project(), "training")).contains(training);
    assertThat(volumes.find(training.tenant(), sibling.id(), "training")).contains(theirs);
    assertThat(volumes.find(training.tenant(), sibling.id(), "images")).isEmpty();
    assertThat(volumes.find(other.tenant().id(), training.project(), "training")).isEmpty();
  }

  @Test
  void aChangeIsOfTheVersionThatItSaw() {
    Volume first = kept(world.project(), "training", null);
    Claim larger = new Claim(204_800, "fast", VolumeAccess.READ_WRITE_MANY);
    Volume second = first.replaced(larger, new Change(NOW.plusSeconds(60), "ben"));

    stores.volumes().update(second);

    assertThat(stores.volumes().find(first.tenant(), first.project(), "training")).contains(second);
    Refused.by(Guard.VERSION, () -> stores.volumes().update(second));
    Refused.by(Guard.VERSION, () -> stores.volumes().delete(first));
    stores.volumes().delete(second);
    assertThat(stores.volumes().all(first.tenant(), first.project())).isEmpty();
  }

  @Test
  void aNameIsTakenInItsProjectAlone() {
    kept(world.project(), "training", null);

    Refused.by(
        Guard.NAME_TAKEN, () -> stores.volumes().insert(of(world.project(), "training", null)));
  }
}
