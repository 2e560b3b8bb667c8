package dev.fairlead.care.reservation.memory;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Twin of {@link AdvanceReservationStore}, which the twin of the inventory queries for reserved
 * nodes.
 */
public final class MemoryAdvanceReservationStore implements AdvanceReservationStore {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<AdvanceReservationId, AdvanceReservation> advanceReservations;

  public MemoryAdvanceReservationStore(
      MemoryDatabase database, MemoryInventoryStore inventory, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.advanceReservations = database.table();
    inventory.bookedBy(this::open);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public void enter() {
    // one transaction at a time
  }

  @Override
  public List<AdvanceReservation> open() {
    return database.call(() ->
        advanceReservations.all().stream()
            .filter(advanceReservation -> !advanceReservation.ended(now()))
            .sorted(
                Comparator.comparing(AdvanceReservation::start)
                    .thenComparing(AdvanceReservation::id))
            .toList());
  }

  @Override
  public List<AdvanceReservation> open(TenantId tenant, @Nullable List<ProjectId> among) {
    return open().stream()
        .filter(advanceReservation ->
            advanceReservation.owner() != null
                && advanceReservation.owner().tenant().equals(tenant)
                && (among == null || among.contains(advanceReservation.owner().project())))
        .toList();
  }

  @Override
  public Optional<AdvanceReservation> advanceReservation(AdvanceReservationId id) {
    return database.call(() -> advanceReservations.find(id));
  }

  @Override
  public void insert(AdvanceReservation advanceReservation) {
    database.run(() -> {
      boolean meets =
          advanceReservations.all().stream()
              .filter(other -> other.meets(advanceReservation.start(), advanceReservation.end()))
              .anyMatch(
                  other -> other.nodes().stream().anyMatch(n -> advanceReservation.holds(n.id())));
      if (meets) {
        throw new Conflict(Guard.BOOKED, advanceReservation.name());
      }
      advanceReservations.put(advanceReservation.id(), advanceReservation);
    });
  }

  @Override
  public boolean remove(AdvanceReservationId id) {
    return database.call(() -> {
      boolean there = advanceReservations.find(id).isPresent();
      advanceReservations.remove(id);
      return there;
    });
  }

  @Override
  public void forget(Instant endedBefore) {
    database.run(() ->
        advanceReservations.all().stream()
            .filter(advanceReservation -> advanceReservation.end().isBefore(endedBefore))
            .map(AdvanceReservation::id)
            .toList()
            .forEach(advanceReservations::remove));
  }
}
