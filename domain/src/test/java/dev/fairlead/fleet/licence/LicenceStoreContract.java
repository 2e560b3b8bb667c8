package dev.fairlead.fleet.licence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.LicenceStore.Held;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class LicenceStoreContract {
  private LicenceStore licences;
  private TestWorld world;
  private String name;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    world = TestWorld.in(stores());
    licences = world.stores().licences();
    name = world.uniqueName("ansys");
  }

  private Held held() {
    return licences.held().getOrDefault(name, Held.NONE);
  }

  @Test
  void putReplacesTheStoredLicence() {
    world.put(new Licence(name, 3, "eu-1"));
    ConfigDocument<Licence> stored = world.put(new Licence(name, 7, "eu-1"));

    assertThat(licences.licences()).contains(new Licence(name, 7, "eu-1"));
    assertThat(licences.licences()).isSortedAccordingTo((a, b) -> a.name().compareTo(b.name()));
    assertThat(held()).isEqualTo(new Held(0, 0));
    world.stores().configs().remove(stored);
    assertThat(licences.licences()).noneMatch(licence -> licence.name().equals(name));
  }

  /** Fails when an attempt does not hold its licences from its start to its end. */
  @Test
  void attemptHoldsItsLicencesUntilItEnds() {
    world.put(new Licence(name, 3));
    Job job = world.submit(Specs.job("mesh").licence(name, 2));
    assertThat(held()).isEqualTo(new Held(0, 0));

    Attempt attempt = world.run(world.place(job));
    ConfigDocument<Licence> lowered = world.put(new Licence(name, 1));
    assertThat(held()).isEqualTo(new Held(2, 1));
    Refused.by(Guard.REFERENCED, () -> world.stores().configs().remove(lowered));

    Job second = world.submit(Specs.job("second").licence(name, 1));
    Refused.by(Guard.LICENCE, () -> world.place(second));

    world.succeed(attempt);
    assertThat(held()).isEqualTo(new Held(0, 0));
    assertThat(world.place(second).live()).isTrue();
    assertThat(held()).isEqualTo(new Held(1, 1));
    world.succeed(world.run(world.stores().jobs().liveAttempts(second.id()).getFirst()));
    world.stores().configs().remove(lowered);
    assertThat(licences.licences()).noneMatch(licence -> licence.name().equals(name));
  }
}
