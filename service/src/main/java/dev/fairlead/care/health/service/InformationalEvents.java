package dev.fairlead.care.health.service;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.HealthStore.Place;
import dev.fairlead.fleet.cluster.Cluster;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Events of a request that isolate no node, regardless of other reports. Most requests consist of
 * such events only. Storing them takes no lock, needs only the ids of their nodes, and is one
 * statement. That statement also detects repeats.
 */
final class InformationalEvents {
  private final Cluster cluster;
  private final List<HealthEvent> events;
  private final Map<String, Place> places = new HashMap<>();
  private final XidTable table;
  private final Instant now;
  private final List<DeviceObservation> sightings = new ArrayList<>();

  InformationalEvents(
      Cluster cluster, List<HealthEvent> events, List<Place> there, XidTable table, Instant now) {
    this.cluster = cluster;
    this.events = events;
    this.table = table;
    this.now = now;
    there.forEach(place -> places.put(place.name(), place));
  }

  /** Returns whether no event can isolate a node or join an incident. */
  boolean all() {
    return events.stream().allMatch(this::harmless);
  }

  private boolean harmless(HealthEvent event) {
    Place place = places.get(event.node());
    return place == null
        || table
            .find(event)
            .filter(xid -> xid.scope() != FaultScope.NONE || place.faulty())
            .isEmpty();
  }

  /** Stores the new events. Returns the responses in the order of the events. */
  List<Intake> store(HealthStore health) {
    Map<String, HealthRecord> records = new LinkedHashMap<>();
    for (HealthEvent event : events) {
      if (!HealthIntake.ahead(event, now)) {
        records.putIfAbsent(event.id(), record(event));
      }
    }
    Set<String> fresh =
        records.isEmpty()
            ? Set.of()
            : health.insert(
                cluster.id(), HealthRecord.bursts(List.copyOf(records.values()), table), now);
    return events.stream().map(event -> answer(event, fresh, records)).toList();
  }

  private HealthRecord record(HealthEvent event) {
    Place place = places.get(event.node());
    return new HealthRecord(
        event, place == null ? null : place.node(), judgement(event).verdict(), null);
  }

  private Judgement judgement(HealthEvent event) {
    return Judgement.of(table, event, List.of());
  }

  /**
   * Returns the response to one event.
   *
   * @param fresh ids of the records that the statement inserted
   * @param open records without a response by event id, from which the first event of an id removes
   *     its record
   */
  private Intake answer(HealthEvent event, Set<String> fresh, Map<String, HealthRecord> open) {
    if (HealthIntake.ahead(event, now)) {
      return Intake.ahead(event, now);
    }
    if (open.remove(event.id()) == null || !fresh.contains(HealthRecord.quietId(event, table))) {
      return Intake.REPEAT;
    }
    Place place = places.get(event.node());
    note(event, place);
    Judgement judgement = judgement(event);
    return new Intake(
        Intake.Outcome.STORED,
        judgement.verdict(),
        null,
        place == null ? Intake.noNode(judgement, cluster, event) : Intake.nothing(judgement));
  }

  private void note(HealthEvent event, @Nullable Place place) {
    String gpu = event.gpu();
    if (place != null && gpu != null) {
      sightings.add(
          new DeviceObservation(
              gpu,
              event.serial(),
              cluster.id(),
              place.node(),
              place.name(),
              DeviceSource.EVENT,
              event.at()));
    }
  }

  /** Returns the devices that the stored events name. */
  List<DeviceObservation> sightings() {
    return sightings;
  }
}
