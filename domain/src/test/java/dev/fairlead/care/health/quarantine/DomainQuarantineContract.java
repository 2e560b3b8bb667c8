package dev.fairlead.care.health.quarantine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of the quarantined topology domains of every {@link HealthStore}. */
public abstract class DomainQuarantineContract {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  private Stores stores;
  private TestWorld world;
  private HealthStore health;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    health = stores.health();
  }

  /**
   * Fails when a quarantine of another cluster, an ended one, or a node that left earlier counts.
   */
  @Test
  void quarantinedDomainIsStoredOnceUntilItsRelease() {
    ClusterId cluster = world.cluster().id();
    DomainQuarantine first = domain("r1");
    health.write(first);
    assertThatThrownBy(() -> health.write(domain("r1")))
        .isInstanceOfSatisfying(
            Conflict.class, c -> assertThat(c.guard()).isEqualTo(Conflict.Guard.NAME_TAKEN));
    DomainQuarantine second = domain("r2");
    health.write(second);
    assertThat(health.domains(cluster)).containsExactly(first, second);
    assertThat(health.domains()).containsExactly(first, second);
    assertThat(health.domains(new ClusterId(UUID.randomUUID()))).isEmpty();

    DomainQuarantine held = first.changed("omar", "waits for a pump", NOW.plusSeconds(60));
    health.write(held);
    assertThat(health.domain(first.id())).contains(held);
    assertThatThrownBy(() -> health.write(held)).isInstanceOf(Conflict.class);
    Quarantine left = held.of(quarantineId(), world.node("node-1"), NOW);
    Quarantine stays = held.of(quarantineId(), world.node("node-2"), NOW);
    health.write(List.of(left, stays));
    assertThat(health.standing(cluster)).containsExactly(left, stays);
    assertThat(health.covered(List.of(held.id(), second.id())))
        .containsExactly(Map.entry(held.id(), 2), Map.entry(second.id(), 0));

    DomainQuarantine over = held.released(NOW.plusSeconds(9), "omar: cooled again");
    health.write(
        List.of(
            left.released(NOW.plusSeconds(5), "left"),
            stays.released(NOW.plusSeconds(9), "omar: cooled again")));
    health.write(over);
    assertThat(health.covered(List.of(over.id()))).containsExactly(Map.entry(over.id(), 1));
    assertThat(health.domains(cluster)).containsExactly(second);
    assertThat(health.domains()).containsExactly(second);
    assertThat(health.lastReleased(cluster, left.node())).as("no word of its health").isNull();
    DomainQuarantine again = domain("r1");
    health.write(again);
    assertThat(health.domains(cluster, false, null, 9)).containsExactly(again, second, over);
    assertThat(health.domains(cluster, true, null, 1)).containsExactly(again);
    assertThat(health.domains(cluster, false, second.id(), 9)).containsExactly(over);
    Stream.of(again, second).forEach(d -> health.write(d.released(NOW, "over")));
  }

  private QuarantineId quarantineId() {
    return new QuarantineId(stores.ids().next());
  }

  private DomainQuarantine domain(String rack) {
    return new DomainQuarantine(
        new DomainQuarantineId(stores.ids().next()),
        world.cluster().id(),
        "rack",
        rack,
        "cooling fails",
        "olga",
        NOW,
        null,
        null,
        null,
        1);
  }
}
