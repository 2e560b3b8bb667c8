package dev.fairlead.work.workload.service.contact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.spi.NodeFaults;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.workload.judgement.OpenFaults;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reads of closed places in a pass. */
class ClosedPlacesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Notes notes = new Notes();
  private final ClosedPlaces places = with(UnknownHolder.DEFAULT);

  private ClosedPlaces with(UnknownHolder holders) {
    return new ClosedPlaces(
        stores.transactions(),
        notes,
        stores.inventory(),
        stores.operations(),
        stores.health(),
        stores.repairs(),
        stores.pools(),
        stores.advanceReservations(),
        new NoFaults(),
        holders,
        stores.ids());
  }

  private static final class Notes implements PlaceNotes {
    private int written;

    private record At(int notes) implements Position {}

    @Override
    public Delta since(@Nullable Position before) {
      return new Delta(!new At(written).equals(before), new At(written));
    }
  }

  private static final class NoFaults implements NodeFaults {
    @Override
    public Set<String> open(ClusterId cluster) {
      return Set.of();
    }

    @Override
    public Map<NodeFault, Instant> take(ClusterId cluster, List<NodeFault> shown, Instant now) {
      return Map.of();
    }

    @Override
    public Map<String, Instant> clear(ClusterId cluster, Map<String, Instant> well, Instant now) {
      return Map.of();
    }
  }

  private ClosedPlaces.Known look(ClosedPlaces.@Nullable Known before, Duration after) {
    Instant now = world.now().plus(after);
    return places.of(world.cluster().id(), before, now);
  }

  private void quarantine(String name) {
    Node node = world.node(name);
    stores
        .health()
        .write(
            Quarantine.begun(
                new QuarantineId(stores.ids().next()),
                node.cluster(),
                node.id(),
                "XID 79",
                "ana",
                world.now(),
                null));
  }

  /** Fails when each pass reads everything again, and when a change is missed. */
  @Test
  void closedCapacityIsReadOnlyAfterAChange() {
    world.report(NodeReports.node("node-1").build());
    ClosedPlaces.Known first = look(null, Duration.ZERO);
    quarantine("node-1");

    ClosedPlaces.Known second = look(first, Duration.ofSeconds(1));
    assertThat(second.closed()).as("without a note").isSameAs(first.closed());
    notes.written++;
    ClosedPlaces.Known third = look(second, Duration.ofSeconds(2));
    assertThat(third.closed().quarantined()).containsExactly(world.node("node-1").id());
  }

  /** Fails when a lost notification is never compensated. */
  @Test
  void closedPlacesAreReadAgainAfterAMinuteWithoutANotification() {
    world.report(NodeReports.node("node-1").build());
    ClosedPlaces.Known known = look(null, Duration.ZERO);
    quarantine("node-1");

    known = look(known, Duration.ofSeconds(59));
    assertThat(known.closed().quarantined()).isEmpty();
    known = look(known, Duration.ofSeconds(60));
    assertThat(known.closed().quarantined()).hasSize(1);
  }

  /** Fails when members are stopped too early, without the setting, or against an operator. */
  @Test
  void unknownHolderIsStoppedAtTheOperatorDeadlineOnlyIfSet() {
    world.report(NodeReports.node("node-1").build());
    Quarantine asked = faulty("node-1");
    Duration late = Duration.ofMinutes(30);
    ClosedPlaces stopping = with(new UnknownHolder(late, UnknownHolder.Then.STOP));
    OpenFaults before = isolated(stopping, late.minusSeconds(1));

    assertThat(isolated(stopping, late)).isNotEqualTo(before);
    assertThat(isolated(places, late)).as("by default").isEqualTo(before);
    stores.health().write(asked.held("ana", "I know the holder", null));
    assertThat(isolated(stopping, late)).as("an operator decided").isEqualTo(before);
  }

  private OpenFaults isolated(ClosedPlaces by, Duration after) {
    return by.of(world.cluster().id(), null, world.now().plus(after)).closed().isolated();
  }

  private Quarantine faulty(String name) {
    Node node = world.node(name);
    HealthEvent event =
        new HealthEvent("e", world.now(), name, "GPU-unknown-to-the-cluster", null, 48, "");
    Incident incident =
        Incident.opened(
            new IncidentId(stores.ids().next()),
            node,
            event.gpu(),
            event,
            Judgement.of(XidTable.SHIPPED, event, List.of()));
    Quarantine quarantine =
        Quarantine.begun(
                new QuarantineId(stores.ids().next()),
                node.cluster(),
                node.id(),
                incident.text(),
                null,
                world.now(),
                world.now().plus(Quarantine.UNHELD))
            .withIncident(incident.id());
    stores.health().write(incident);
    stores.health().write(quarantine);
    return quarantine;
  }
}
