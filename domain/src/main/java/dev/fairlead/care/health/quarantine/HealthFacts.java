package dev.fairlead.care.health.quarantine;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.work.event.FleetEventType;
import dev.fairlead.work.event.FleetFact;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of incidents and quarantines. Texts of monitors and operators are only for readers of
 * the fleet.
 */
public final class HealthFacts {
  private static final long BEGUN = 1;
  private static final long EXTENDED = 2;
  private static final long ENDED = 3;

  private HealthFacts() {}

  /**
   * Returns the events of a write of the incident.
   *
   * @param before the stored incident, null for a new one
   */
  public static List<FleetFact> of(@Nullable Incident before, Incident after) {
    List<FleetFact> facts = new ArrayList<>();
    if (before == null) {
      facts.add(fact(FleetEventType.INCIDENT_OPENED, after, BEGUN));
    }
    if ((before == null || before.endedAt() == null) && after.endedAt() != null) {
      facts.add(fact(FleetEventType.INCIDENT_ENDED, after, ENDED));
    }
    return facts;
  }

  /** A fault of the whole machine affects more GPUs than the one that it names. */
  private static FleetFact fact(FleetEventType type, Incident incident, long version) {
    FleetFact fact = FleetFact.of(type, incident.id(), version, List.of(incident.node()));
    boolean ofNode = incident.scope() == FaultScope.NODE;
    return (ofNode ? fact.internal("gpu", incident.gpu()) : fact.on(incident.gpu()))
        .with(FleetFact.INCIDENT, incident.id().text())
        .with("scope", incident.scope().name())
        .with("step", incident.step().name())
        .internal("cause", incident.cause())
        .internal("serial", incident.serial());
  }

  /**
   * Returns the events of a write of the quarantine.
   *
   * @param before the stored quarantine, null for a new one
   */
  public static List<FleetFact> of(@Nullable Quarantine before, Quarantine after) {
    List<FleetFact> facts = new ArrayList<>();
    if (before == null) {
      facts.add(
          fact(
              after.ofNode() ? FleetEventType.NODE_QUARANTINED : FleetEventType.GPU_QUARANTINED,
              after,
              BEGUN));
    } else if (!before.ofNode() && after.ofNode()) {
      facts.add(fact(FleetEventType.NODE_QUARANTINED, after, EXTENDED));
    }
    if ((before == null || before.releasedAt() == null) && after.releasedAt() != null) {
      facts.add(
          fact(
              after.ofNode() ? FleetEventType.NODE_RELEASED : FleetEventType.GPU_RELEASED,
              after,
              ENDED));
    }
    return facts;
  }

  private static FleetFact fact(FleetEventType type, Quarantine quarantine, long version) {
    Instant until = quarantine.releasedAt() == null ? quarantine.until() : null;
    return FleetFact.of(type, quarantine.id(), version, List.of(quarantine.node()))
        .on(quarantine.gpu())
        .with("quarantine", quarantine.id().text())
        .with(FleetFact.INCIDENT, text(quarantine.incident()))
        .with("until", until == null ? null : until.toString())
        .internal("domain", text(quarantine.domain()))
        .internal("cause", quarantine.cause())
        .internal("owner", quarantine.owner())
        .internal("released", quarantine.released());
  }

  private static @Nullable String text(@Nullable Id id) {
    return id == null ? null : id.text();
  }
}
