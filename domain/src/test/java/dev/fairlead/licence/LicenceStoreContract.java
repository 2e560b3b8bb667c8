package dev.fairlead.licence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.job.Specs;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.Refused;
import dev.fairlead.world.Stores;
import dev.fairlead.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link LicenceStore} keeps. */
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

  private List<LicenceUse> uses() {
    return licences.uses().stream().filter(use -> use.licence().name().equals(name)).toList();
  }

  /** Fails when the second of two that set it at the same moment gives it another cluster. */
  @Test
  void aLicenceKeepsItsCluster() {
    assertThat(licences.put(new Licence(name, 3))).isTrue();
    assertThat(licences.put(new Licence(name, 7, "eu-1"))).isFalse();
    assertThat(licences.put(new Licence(name, 7))).isTrue();

    assertThat(licences.licences()).contains(new Licence(name, 7));
  }

  @Test
  void whatIsPutReplacesWhatWasThere() {
    licences.put(new Licence(name, 3, "eu-1"));
    licences.put(new Licence(name, 7, "eu-1"));

    assertThat(licences.licences()).contains(new Licence(name, 7, "eu-1"));
    assertThat(licences.licences()).isSortedAccordingTo((a, b) -> a.name().compareTo(b.name()));
    assertThat(uses()).containsExactly(new LicenceUse(new Licence(name, 7, "eu-1"), 0, 0));
    assertThat(licences.remove(name)).isTrue();
    assertThat(licences.remove(name)).isFalse();
    assertThat(uses()).isEmpty();
  }

  /** Fails when an attempt does not hold its licences from its start to its end. */
  @Test
  void anAttemptHoldsItsLicencesUntilItEnds() {
    licences.put(new Licence(name, 3));
    Job job = world.submit(Specs.job("mesh").licence(name, 2));
    assertThat(uses()).containsExactly(new LicenceUse(new Licence(name, 3), 0, 0));

    Attempt attempt = world.run(world.place(job));
    licences.put(new Licence(name, 1));
    assertThat(uses()).containsExactly(new LicenceUse(new Licence(name, 1), 2, 1));
    Refused.by(Guard.REFERENCED, () -> licences.remove(name));

    world.succeed(attempt);
    assertThat(uses()).containsExactly(new LicenceUse(new Licence(name, 1), 0, 0));
    assertThat(licences.remove(name)).isTrue();
  }
}
