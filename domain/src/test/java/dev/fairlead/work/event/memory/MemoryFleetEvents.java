package dev.fairlead.work.event.memory;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.FleetEventType;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.MemoryJobStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link FleetEvents}. */
public final class MemoryFleetEvents implements FleetEvents {
  private static final Comparator<UUID> ANY = Comparator.naturalOrder();
  private static final List<String> NODE_STATES =
      Arrays.stream(FleetEventType.values())
          .filter(FleetEventType::ofNodeState)
          .map(FleetEventType::text)
          .toList();

  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryInventoryStore inventory;
  private final MemoryJobStore jobs;
  private final MemoryEventLog log;
  private final MemoryTable<UUID, Held> held;

  public MemoryFleetEvents(
      MemoryDatabase database,
      InstantSource clock,
      MemoryInventoryStore inventory,
      MemoryJobStore jobs,
      MemoryEventLog log) {
    this.database = database;
    this.clock = clock;
    this.inventory = inventory;
    this.jobs = jobs;
    this.log = log;
    this.held = database.table();
  }

  private record Held(ClusterId cluster, String actor, int count, Instant due, FleetFact fact) {}

  private record Origin(ClusterId cluster, String actor) implements Comparable<Origin> {
    @Override
    public int compareTo(Origin other) {
      return Comparator.comparing(Origin::cluster)
          .thenComparing(Origin::actor)
          .compare(this, other);
    }
  }

  private record Owner(TenantId tenant, ProjectId project) implements Comparable<Owner> {
    @Override
    public int compareTo(Owner other) {
      return Comparator.comparing(Owner::tenant).thenComparing(Owner::project).compare(this, other);
    }
  }

  @Override
  public void append(ClusterId cluster, String actor, List<FleetFact> facts) {
    if (facts.isEmpty()) {
      return;
    }
    database.run(() -> {
      SortedSet<UUID> waiting = new TreeSet<>(ANY);
      facts.stream().map(FleetFact::id).filter(held::has).forEach(waiting::add);
      if (facts.size() > FleetFact.SEPARATE) {
        facts.stream()
            .filter(FleetFact::flaps)
            .filter(fact -> !fact.nodes().isEmpty() && shared(cluster, fact) >= BURST)
            .forEach(fact -> waiting.add(fact.id()));
      }
      List<FleetFact> bounded = FleetFact.bounded(cluster, facts, waiting);
      SortedSet<UUID> flapping = new TreeSet<>(ANY);
      bounded.stream()
          .filter(FleetFact::flaps)
          .filter(fact -> waiting.contains(fact.id()) || recent(fact.id()) >= BURST)
          .forEach(fact -> flapping.add(fact.id()));
      List<FleetFact> free = new ArrayList<>();
      for (FleetFact fact : bounded) {
        if (fact.flaps() && flapping.contains(fact.id())) {
          hold(cluster, actor, fact);
        } else {
          free.add(fact);
        }
      }
      write(cluster, actor, free, FleetFact.forProjects(free, facts));
    });
  }

  private void hold(ClusterId cluster, String actor, FleetFact fact) {
    Held before = held.find(fact.id()).orElse(null);
    Instant due = before == null ? clock.instant().plus(WINDOW) : before.due();
    int count = before == null ? 1 : before.count() + 1;
    held.put(fact.id(), new Held(cluster, actor, count, due, fact));
  }

  private Stream<EventRecord> newest(UUID subject) {
    Instant from = clock.instant().minus(WINDOW);
    return log.newest()
        .takeWhile(e -> e.at().isAfter(from))
        .filter(e -> e.subjectId().equals(subject) && e.tenant().equals(FLEET));
  }

  /** Recent events of the cluster that name the node. */
  private long shared(ClusterId cluster, FleetFact fact) {
    String node = names(fact.nodes()).getFirst();
    return newest(cluster.value())
        .filter(e -> NODE_STATES.contains(e.fact().type()))
        .filter(
            e -> e.fact().data().get(FleetFact.NODES) instanceof List<?> all && all.contains(node))
        .count();
  }

  private long recent(UUID subject) {
    return newest(subject)
        .filter(e -> !e.fact().type().startsWith("NodeNotice"))
        .filter(e -> e.subject() == IdKind.NODE || e.fact().type().startsWith("Cluster"))
        .count();
  }

  @Override
  public int release(int most) {
    return database.call(() -> {
      List<Held> due =
          held.all().stream()
              .filter(each -> !each.due().isAfter(clock.instant()))
              .sorted(Comparator.comparing(Held::due))
              .limit(most)
              .toList();
      SortedMap<Origin, List<FleetFact>> facts = new TreeMap<>();
      for (Held each : due) {
        held.remove(each.fact().id());
        facts
            .computeIfAbsent(new Origin(each.cluster(), each.actor()), _ -> new ArrayList<>())
            .add(each.fact().with("changes", each.count()));
      }
      facts.forEach((of, its) -> {
        List<FleetFact> bounded = FleetFact.bounded(of.cluster(), its, Set.of());
        write(of.cluster(), of.actor(), bounded, bounded);
      });
      return due.size();
    });
  }

  private void write(
      ClusterId cluster, String actor, List<FleetFact> facts, List<FleetFact> forProjects) {
    String name = inventory.nameOf(cluster).orElseGet(cluster::text);
    facts.forEach(
        fact -> put(cluster, actor, fact, FLEET, null, fact.forFleet(name, names(fact.nodes()))));
    forProjects.forEach(fact -> show(cluster, name, actor, fact));
  }

  private void show(ClusterId cluster, String name, String actor, FleetFact fact) {
    SortedMap<Owner, Fact> shown = new TreeMap<>();
    if (fact.follows()) {
      earlier(fact).forEach((owner, before) -> shown.put(owner, again(fact, name, before)));
    }
    present(cluster, fact).forEach((owner, its) -> shown.put(owner, now(fact, name, its)));
    shown.forEach((owner, of) -> put(cluster, actor, fact, owner.tenant(), owner.project(), of));
  }

  private SortedMap<Owner, EventRecord> earlier(FleetFact fact) {
    SortedMap<Owner, EventRecord> earlier = new TreeMap<>();
    log.newest()
        .filter(event -> event.subjectId().equals(fact.id()))
        .forEach(event -> {
          ProjectId project = event.project();
          if (project != null) {
            earlier.putIfAbsent(new Owner(event.tenant(), project), event);
          }
        });
    return earlier;
  }

  @SuppressWarnings("unchecked")
  private static Fact again(FleetFact fact, String cluster, EventRecord before) {
    SortedMap<String, Object> data = before.fact().data();
    return fact.forProject(
        cluster,
        (List<String>) data.getOrDefault(FleetFact.NODES, List.of()),
        (List<String>) data.getOrDefault("jobs", List.of()),
        ((Number) data.getOrDefault("jobCount", 0)).intValue());
  }

  /** Members of the projects on the nodes, by job. */
  private SortedMap<Owner, SortedMap<UUID, List<Member>>> present(
      ClusterId cluster, FleetFact fact) {
    SortedMap<Owner, SortedMap<UUID, List<Member>>> present = new TreeMap<>();
    for (Attempt attempt : jobs.live()) {
      List<Member> there =
          attempt.members().stream().filter(member -> concerns(fact, member)).toList();
      if (attempt.cluster().equals(cluster) && !there.isEmpty()) {
        Job job = jobs.findAll(List.of(attempt.job())).getFirst();
        present
            .computeIfAbsent(new Owner(job.tenant(), job.project()), _ -> new TreeMap<>())
            .merge(job.id().value(), there, MemoryFleetEvents::both);
      }
    }
    return present;
  }

  private static List<Member> both(List<Member> some, List<Member> more) {
    List<Member> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  private boolean concerns(FleetFact fact, Member member) {
    if (fact.nodes().isEmpty()) {
      return true;
    }
    String gpu = fact.gpu();
    boolean slot =
        gpu != null
            && inventory.node(member.node()).stream()
                .flatMap(node -> node.gpus().stream())
                .anyMatch(g -> g.serial().equals(gpu));
    boolean known =
        gpu != null && DeviceUuid.matches(gpu) && member.gpuIdentity() != GpuIdentity.UNKNOWN;
    return fact.nodes().contains(member.node().value())
        && (slot
            ? member.gpus().stream().anyMatch(share -> share.serial().equals(gpu))
            : known ? member.holds(gpu) : !member.gpus().isEmpty());
  }

  private Fact now(FleetFact fact, String cluster, SortedMap<UUID, List<Member>> members) {
    SortedSet<String> nodes = new TreeSet<>();
    SortedSet<String> named = new TreeSet<>();
    Function<UUID, Job> job = id -> jobs.findAll(List.of(new JobId(id))).getFirst();
    members.forEach((id, its) -> {
      named.add(job.apply(id).name());
      its.forEach(member -> nodes.add(names(List.of(member.node().value())).getFirst()));
    });
    return fact.forProject(
        cluster, fact.nodes().isEmpty() ? List.of() : List.copyOf(nodes), named, members.size());
  }

  private List<String> names(Collection<UUID> ids) {
    return ids.stream()
        .map(id -> inventory.node(new NodeId(id)).map(Node::name).orElseThrow())
        .toList();
  }

  private void put(
      ClusterId cluster,
      String actor,
      FleetFact fact,
      TenantId tenant,
      @Nullable ProjectId project,
      Fact shown) {
    long version =
        fact.version() == 0
            ? inventory.cluster(cluster).map(Cluster::version).orElse(1L)
            : fact.version();
    log.append(shown, fact.subject(), fact.id(), version, actor, tenant, project);
  }
}
