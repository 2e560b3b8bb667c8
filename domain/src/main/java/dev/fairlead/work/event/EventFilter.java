package dev.fairlead.work.event;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selection of the events that a caller sees.
 *
 * @param projects null for all of the tenant
 * @param job the value of its id, null for all
 * @param types empty for all
 * @param fleet whether the caller reads the fleet. The caller then gets the events of all nodes
 *     instead of the events about the jobs of its tenant
 * @param place required details of events of the fleet, by {@link FleetFact#NODES}, {@link
 *     FleetFact#CLUSTER} and {@link FleetFact#INCIDENT}. Empty for all events
 */
public record EventFilter(
    TenantId tenant,
    @Nullable List<ProjectId> projects,
    @Nullable UUID job,
    SortedSet<String> types,
    boolean fleet,
    SortedMap<String, String> place)
    implements Predicate<EventRecord> {
  /** Kinds of objects of the fleet. */
  public static final Set<IdKind> FLEET =
      Collections.unmodifiableSet(
          EnumSet.of(IdKind.CLUSTER, IdKind.INCIDENT, IdKind.NODE, IdKind.QUARANTINE));

  public EventFilter {
    projects = projects == null ? null : List.copyOf(projects);
    types = Collections.unmodifiableSortedSet(new TreeSet<>(types));
    place = Collections.unmodifiableSortedMap(new TreeMap<>(place));
  }

  /** Creates a filter of a tenant's events. */
  public EventFilter(
      TenantId tenant, @Nullable ProjectId project, @Nullable UUID job, SortedSet<String> types) {
    this(
        tenant,
        project == null ? null : List.of(project),
        job,
        types,
        false,
        Collections.emptySortedMap());
  }

  @Override
  public boolean test(EventRecord event) {
    boolean ofFleet = FLEET.contains(event.subject());
    return event.tenant().equals(fleet && ofFleet ? FleetEvents.FLEET : tenant)
        && (place.isEmpty() || ofFleet && at(event.fact()))
        && (projects == null || event.project() != null && projects.contains(event.project()))
        && (job == null || event.subject() == IdKind.JOB && job.equals(event.subjectId()))
        && (types.isEmpty() || types.contains(event.fact().type()));
  }

  private boolean at(Fact fact) {
    return place.entrySet().stream()
        .allMatch(entry -> {
          Object value = fact.data().get(entry.getKey());
          return value instanceof List<?> all
              ? all.contains(entry.getValue())
              : entry.getValue().equals(value);
        });
  }

  /** Returns the details that an event of the place contains, in the form of its data. */
  public SortedMap<String, Object> contained() {
    SortedMap<String, Object> contained = new TreeMap<>(place);
    contained.computeIfPresent(FleetFact.NODES, (_, node) -> List.of(node));
    return contained;
  }
}
