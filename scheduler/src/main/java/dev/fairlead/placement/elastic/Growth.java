package dev.fairlead.placement.elastic;

import dev.fairlead.cluster.ClusterState;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobSpec.OnUnreachable;
import dev.fairlead.job.JobState;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.SizeTransitions;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.gang.Expansion;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.NodeAllocation;
import dev.fairlead.placement.ledger.NodeCapacity;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.ordering.EquivalenceClass;
import dev.fairlead.placement.reservation.Reservations;
import dev.fairlead.placement.reservation.RunningAttempt;
import dev.fairlead.placement.routing.FlavorAssignment;
import dev.fairlead.placement.routing.FlavorAssignments;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets running gangs grow, at the end of a cycle that reached everybody: into capacity that no
 * waiting job could use, as many members as there is room for up to what the job wants, by
 * priority, then age. Who was shrunk, or whose new members did not come up, rests first.
 */
public final class Growth {
  private static final Comparator<RunningAttempt> ORDER =
      Comparator.comparingInt((RunningAttempt h) -> -h.job().priority())
          .thenComparing(h -> h.job().createdAt())
          .thenComparing(h -> h.attempt().id());

  private final Reservations holds;
  private final Ledger ledger;
  private final WorkBudget work;
  private final Instant asOf;
  private final PendingDemand demand;

  public Growth(Reservations holds, Ledger ledger, WorkBudget work, Instant asOf) {
    this.holds = holds;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    demand = new PendingDemand(holds.admission());
  }

  /** Jobs of this shape wait and would start if they could. */
  public void waits(EquivalenceClass waiting) {
    demand.add(waiting);
  }

  /** Members that their jobs do not want any more leave, whatever waits. */
  public List<Decision> shrink() {
    List<Decision> shrinks = new ArrayList<>();
    for (RunningAttempt holder : holds.holders().all()) {
      if (holder.attempt().members().size() > holder.job().spec().members()) {
        List<Member> unwanted = SizeTransitions.unwanted(holder.job(), holder.attempt());
        if (!unwanted.isEmpty()) {
          List<MemberKey> keys = unwanted.stream().map(MemberKey::of).toList();
          Job job = holder.job();
          shrinks.add(new Decision.Shrink(job.id(), job.version(), holder.attempt().id(), keys));
        }
      }
    }
    return shrinks;
  }

  /** Takes what the new members get from the working copy. */
  public List<Decision> grow() {
    List<RunningAttempt> growing = new ArrayList<>();
    for (RunningAttempt holder : holds.holders().all()) {
      if (mayGrow(holder)) {
        growing.add(holder);
      }
    }
    growing.sort(ORDER);
    List<Decision> grown = new ArrayList<>();
    for (RunningAttempt holder : growing) {
      Decision grow = work.spent() ? null : grow(holder);
      if (grow != null) {
        grown.add(grow);
      }
    }
    return grown;
  }

  /** Who came later would outlive the deadline that is the evidence of the others' death. */
  private boolean mayGrow(RunningAttempt holder) {
    Job job = holder.job();
    Attempt attempt = holder.attempt();
    return job.spec().elastic()
        && attempt.members().size() < job.spec().members()
        && job.spec().placement().segment() == null
        && job.spec().onUnreachable() != OnUnreachable.AFTER_DEADLINE
        && attempt.state() == AttemptState.RUNNING
        && job.state() == JobState.RUNNING
        && holder.leaving().isEmpty()
        && attempt.members().stream().allMatch(m -> m.standing() == null)
        && GrowthPolicy.DEFAULT.rested(attempt, asOf);
  }

  private @Nullable Decision grow(RunningAttempt holder) {
    GangShape gang = GangShape.of(holder.job());
    FlavorAssignment route = route(holder, gang);
    if (route == null || demand.wants(route)) {
      return null;
    }
    int[] lacking = lacking(holder, gang);
    int most = 0;
    for (int role : lacking) {
      most = Math.max(most, role);
    }
    int low = 0;
    while (low < most) {
      int middle = (low + most + 1) >>> 1;
      int mark = ledger.mark();
      boolean fits = take(holder, gang, route, atMost(lacking, middle));
      ledger.undo(mark);
      if (fits) {
        low = middle;
      } else {
        most = middle - 1;
      }
    }
    int mark = ledger.mark();
    if (low == 0 || !take(holder, gang, route, atMost(lacking, low))) {
      ledger.undo(mark);
      return null;
    }
    List<Member> members = members(holder.attempt(), route, ledger.since(mark));
    Job job = holder.job();
    return new Decision.Grow(job.id(), job.version(), holder.attempt().id(), members);
  }

  /**
   * Where its members are: one part of a cluster, one flavor for each role. Null where it may not
   * grow: since it started, the nodes may belong to the pool of another tenant or be of a capacity
   * type that it does not name.
   */
  private @Nullable FlavorAssignment route(RunningAttempt holder, GangShape gang) {
    ClusterCapacity cluster = holds.fleet().home(holder.attempt().members());
    if (cluster == null
        || cluster.cluster().state() != ClusterState.ACTIVE
        || !FlavorAssignments.allows(gang, cluster)) {
      return null;
    }
    List<String> models = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      String model = null;
      for (Member member : holder.attempt().members()) {
        if (member.role().equals(role.name())) {
          model = member.flavor().model();
        }
      }
      if (model == null) {
        return null;
      }
      models.add(model);
    }
    return new FlavorAssignment(cluster, models);
  }

  private static int[] lacking(RunningAttempt holder, GangShape gang) {
    int[] lacking = new int[gang.roles().size()];
    for (MemberShape role : gang.roles()) {
      int there = 0;
      for (Member member : holder.attempt().members()) {
        there += member.role().equals(role.name()) ? 1 : 0;
      }
      lacking[role.role()] = Math.max(0, role.count() - there);
    }
    return lacking;
  }

  private static int[] atMost(int[] lacking, int most) {
    int[] some = lacking.clone();
    for (int role = 0; role < some.length; role++) {
      some[role] = Math.min(some[role], most);
    }
    return some;
  }

  /** Quota and nodes for so many more of each role; what fails is the caller's to undo. */
  private boolean take(RunningAttempt holder, GangShape gang, FlavorAssignment route, int[] more) {
    Admission admission = holds.admission();
    Charges charges = Charges.expected(gang, route, more);
    boolean limited = admission.limited(holder.job().queue());
    if (demand.wants(holder.job().queue(), charges)
        || limited && !admission.admits(holder.job().queue(), charges)) {
      return false;
    }
    List<NodeCapacity> there = new ArrayList<>();
    SortedMap<Integer, List<NodeCapacity>> byRole = new TreeMap<>();
    for (Member member : holder.attempt().members()) {
      NodeCapacity room = holds.fleet().room(member.node());
      for (MemberShape role : gang.roles()) {
        if (room != null && role.name().equals(member.role())) {
          there.add(room);
          byRole.computeIfAbsent(role.role(), r -> new ArrayList<>()).add(room);
        }
      }
    }
    int mark = ledger.mark();
    if (!new Expansion(ledger, work, there, byRole).place(route, gang, more)) {
      return false;
    }
    if (limited) {
      admission.use(holder.job().queue(), Charges.of(gang, ledger.since(mark), route), ledger);
    }
    return true;
  }

  private static List<Member> members(
      Attempt attempt, FlavorAssignment route, List<NodeAllocation> taken) {
    SortedMap<String, Integer> next = new TreeMap<>();
    List<NodeAllocation> byRole = new ArrayList<>(taken);
    byRole.sort(Comparator.comparingInt(t -> t.shape().role()));
    List<Member> members = new ArrayList<>();
    for (NodeAllocation each : byRole) {
      String role = each.shape().name();
      int index = next.merge(role, attempt.nextIndex(role), (before, first) -> before + 1);
      members.add(each.member(index, route.flavor(each.shape().role())));
    }
    return members;
  }
}
