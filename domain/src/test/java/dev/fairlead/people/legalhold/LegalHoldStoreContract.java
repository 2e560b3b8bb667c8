package dev.fairlead.people.legalhold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link LegalHoldStore}, including the isolation of tenants. */
public abstract class LegalHoldStoreContract {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final LegalHold.Change CHANGE = new LegalHold.Change(NOW, "ana");

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private LegalHold ofTenant(TestWorld of, String name, String reason) {
    return new LegalHold(of.tenant().id(), name, reason, null, null, null, null, CHANGE);
  }

  private List<LegalHold> all(TestWorld of) {
    return stores.legalHolds().all(of.tenant().id());
  }

  /** Fails when another tenant can read a hold, or it loses its scope. */
  @Test
  void holdIsReadInItsTenantOnly() {
    TestWorld other = TestWorld.in(stores);
    Job job = world.submit(Specs.job("sft"));
    LegalHold ofJob =
        new LegalHold(
            world.tenant().id(), "b", "why", null, job.id(), NOW, NOW.plusSeconds(1), CHANGE);
    LegalHold ofProject =
        new LegalHold(
            world.tenant().id(), "a", "why", world.project().id(), null, null, null, CHANGE);
    stores.legalHolds().put(ofJob);
    stores.legalHolds().put(ofProject);
    stores.legalHolds().put(ofTenant(other, "b", "theirs"));

    assertThat(all(world)).containsExactly(ofProject, ofJob);
    assertThat(all(other)).containsExactly(ofTenant(other, "b", "theirs"));
    assertThat(stores.transactions().call(() -> stores.legalHolds().inForce(ofJob.tenant())))
        .containsExactly(ofProject, ofJob);
  }

  /** Fails when a name has two holds, or the wrong one is deleted. */
  @Test
  void putReplacesTheStoredHold() {
    stores.legalHolds().put(ofTenant(world, "case-7", "first"));
    stores.legalHolds().put(ofTenant(world, "case-8", "other"));
    stores.legalHolds().put(ofTenant(world, "case-7", "second"));
    assertThat(all(world))
        .containsExactly(ofTenant(world, "case-7", "second"), ofTenant(world, "case-8", "other"));

    stores.legalHolds().remove(ofTenant(world, "case-7", "second"));
    assertThat(stores.transactions().call(() -> stores.legalHolds().locked(world.tenant().id())))
        .containsExactly(ofTenant(world, "case-8", "other"));
  }
}
