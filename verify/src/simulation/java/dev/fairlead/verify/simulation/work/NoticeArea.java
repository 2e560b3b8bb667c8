package dev.fairlead.verify.simulation.work;

import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.service.NoticeIntake;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Notices of the end of machines, as taints and from outside the cluster: early, late, repeated,
 * withdrawn and false ones. The machine ends after half of the notices. Nothing new starts on a
 * machine with a notice, and with faults off its jobs are asked to leave before the deadline and it
 * returns after a withdrawal.
 */
public final class NoticeArea implements Area {
  /** Without faults, processes and clusters work normally after this time. */
  private static final Duration SETTLED = Duration.ofSeconds(150);

  private static final Duration REMAIN = Duration.ofMinutes(5);
  private static final Duration BEFORE = Duration.ofSeconds(5);

  /** A notice with less time may arrive too late for a pass over all attempts. */
  private static final Duration ENOUGH = Duration.ofMinutes(1);

  private static final List<NodeNotice.Kind> KINDS =
      List.of(
          NodeNotice.Kind.SPOT,
          NodeNotice.Kind.MAINTENANCE,
          NodeNotice.Kind.HOST_ERROR,
          NodeNotice.Kind.SCALE_DOWN);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final NoticeIntake intake;
  private final Map<AttemptId, Set<String>> known = new HashMap<>();
  private final SortedMap<String, Announcement> noticed = new TreeMap<>();
  private boolean open;
  private boolean pauses;
  private boolean calm;
  private int count;
  private @Nullable InvariantBroken broken;

  /** One notice, which its source repeats and withdraws. */
  private final class Announcement {
    private final Node node;
    private final SimulatedCluster cluster;
    private final boolean outside = chance.nextBoolean();
    private final String id = "notice-" + count++;
    private final NodeNotice.Kind kind = KINDS.get(chance.nextInt(KINDS.size()));
    private final Duration lead = Duration.ofSeconds(List.of(20, 75, 240, 1200).get(drawn()));
    private final Instant deadline = durable.stores().clock().instant().plus(lead);
    private boolean withdrawn;

    Announcement(Node node) {
      this.node = node;
      this.cluster = Objects.requireNonNull(durable.clusters().get(node.cluster()));
    }

    private int drawn() {
      return chance.nextInt(calm ? 2 : 4);
    }

    void begin() {
      say();
      if (chance.nextInt(3) == 0) {
        time.in(lead.dividedBy(8), "a repeated notice", this::say);
      }
      if (calm && lead.compareTo(ENOUGH) > 0) {
        Set<AttemptId> there = attempts();
        time.in(lead.minus(BEFORE), "before a deadline", () -> heeded(there));
      }
      /* Without faults no machine ends, because other areas check calm clusters. */
      switch (chance.nextInt(calm ? 2 : 4)) {
        case 0 -> time.in(lead.dividedBy(2), "a withdrawal", this::withdraw);
        case 1 -> time.in(lead.plusSeconds(90), "a false notice ends", this::withdraw);
        default -> time.in(lead, "a machine ends", this::end);
      }
    }

    private void say() {
      if (!outside) {
        String value = withdrawn ? "" : Long.toString(deadline.getEpochSecond());
        Taint taint = new Taint(Taint.LEAVING, value, "NoSchedule");
        cluster.show(node.name(), List.of(), withdrawn ? List.of() : List.of(taint));
        return;
      }
      try {
        var _ =
            intake.announce(
                durable.operator(),
                node.cluster().text(),
                new NoticeIntake.Report(id, node.name(), kind, deadline, "simulated"),
                false);
      } catch (Refusal late) {
        time.say(() -> id + ": " + late.getMessage());
      }
    }

    private void withdraw() {
      withdrawn = true;
      noticed.remove(key(node), this);
      if (!outside) {
        say();
        return;
      }
      try {
        var _ = intake.withdraw(durable.operator(), node.cluster().text(), id, false);
        say(); // a late repeat does not revive it
      } catch (Refusal never) {
        time.say(() -> id + ": " + never.getMessage());
      }
    }

    private void end() {
      if (withdrawn) {
        return;
      }
      cluster.removeNode(node.name());
      time.in(
          time.between(Duration.ofSeconds(20), Duration.ofMinutes(1)),
          "another machine",
          () -> {
            cluster.returnNode(node.name());
            withdraw();
          });
    }

    private Set<AttemptId> attempts() {
      Set<AttemptId> there = new HashSet<>();
      durable.stores().jobs().live().stream().filter(this::holds).forEach(a -> there.add(a.id()));
      return there;
    }

    private boolean holds(Attempt attempt) {
      boolean whole = attempt.core().stream().noneMatch(Member::dead);
      return whole && attempt.core().stream().anyMatch(m -> m.node().equals(node.id()));
    }

    /** The order to leave, with or without time for a checkpoint, was given before the deadline. */
    private void heeded(Set<AttemptId> there) {
      if (withdrawn) {
        return;
      }
      durable.stores().jobs().attempts(there).stream()
          .filter(Attempt::live)
          .filter(a -> a.state() != AttemptState.UNKNOWN && holds(a))
          .filter(a -> a.stop() == null && a.checkpointRequest() == null)
          .findFirst()
          .ifPresent(a -> broken(Invariant.NOTICE_IS_HEEDED, id + " does not move " + a));
    }
  }

  public NoticeArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    MemoryStores stores = durable.stores();
    this.intake =
        new NoticeIntake(
            stores.transactions(),
            stores.inventory(),
            endless(stores.health(), missing),
            stores.audit(),
            stores.clock());
    boolean wanted = Stream.of(Guard.values()).anyMatch(g -> g.ofNotices() && missing.contains(g));
    this.open = wanted || missing.isEmpty() && chance.nextInt(6) == 0;
    if (open) {
      durable.afterAttempts(this::follow);
      later(Duration.ofMinutes(5));
    }
  }

  /** Without the guard, withdrawals are not stored. */
  private static HealthStore endless(HealthStore stored, Set<Guard> missing) {
    return missing.contains(Guard.NOTICE_WITHDRAWN)
        ? UnguardedStores.of(
            HealthStore.class,
            (self, method, arguments) ->
                method.getName().equals("write")
                        && arguments[0] instanceof AnnouncedNotice notice
                        && notice.withdrawn()
                    ? null
                    : method.invoke(stored, arguments))
        : stored;
  }

  /** Without the guard, supervisors do not see notices of other sources. */
  static HealthStore health(HealthStore stored, Set<Guard> missing) {
    return missing.contains(Guard.NOTICE_KNOWN)
        ? UnguardedStores.of(
            HealthStore.class,
            (self, method, arguments) ->
                method.getName().equals("announced") ? List.of() : method.invoke(stored, arguments))
        : stored;
  }

  /** Without the guard, nodes with a notice accept new members. */
  static InventoryStore inventory(InventoryStore stored, Set<Guard> missing) {
    return missing.contains(Guard.NOTICE_CLOSES)
        ? UnguardedStores.of(
            InventoryStore.class,
            (self, method, arguments) ->
                method.getName().equals("report")
                    ? method.invoke(
                        stored,
                        arguments[0],
                        ((List<?>) arguments[1])
                            .stream().map(report -> opened((NodeReport) report)).toList())
                    : method.invoke(stored, arguments))
        : stored;
  }

  private static NodeReport opened(NodeReport report) {
    return report.withTaints(
        report.taints().stream().filter(t -> !t.key().equals(Taint.LEAVING)).toList());
  }

  private void later(Duration most) {
    time.in(
        time.between(Duration.ofSeconds(10), most),
        "a notice",
        () -> {
          if (open) {
            if (!pauses) {
              announce();
            }
            later(most);
          }
        });
  }

  /** Every second notice is for a node of a live attempt, if one exists. */
  private void announce() {
    List<Node> nodes =
        durable.stores().inventory().nodes(null).stream()
            .filter(n -> durable.clusters().containsKey(n.cluster()))
            .filter(n -> !noticed.containsKey(key(n)) && !durable.sheltered(n.cluster()))
            .toList();
    Set<String> busy = new HashSet<>();
    durable
        .stores()
        .jobs()
        .live()
        .forEach(a -> a.members().forEach(m -> busy.add(m.node().text())));
    List<Node> held = nodes.stream().filter(n -> busy.contains(n.id().text())).toList();
    List<Node> from = chance.nextBoolean() && !held.isEmpty() ? held : nodes;
    if (!from.isEmpty()) {
      Node node = from.get(chance.nextInt(from.size()));
      Announcement announcement = new Announcement(node);
      noticed.put(key(node), announcement);
      announcement.begin();
    }
  }

  private static String key(Node node) {
    return node.cluster().text() + "/" + node.name();
  }

  private void broken(Invariant invariant, String what) {
    broken = broken == null ? new InvariantBroken(invariant, what) : broken;
  }

  /** Follows one commit: a member that is new on a node found it open. */
  private void follow() {
    Instant now = durable.stores().clock().instant();
    Set<AttemptId> live = new HashSet<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      live.add(attempt.id());
      Set<String> members = known.computeIfAbsent(attempt.id(), id -> new HashSet<>());
      for (Member member : attempt.members()) {
        if (members.add(MemberKey.of(member).text()) && closed(member, now)) {
          broken(Invariant.NOTICED_NODE_TAKES_NOTHING, member.nodeName() + " takes " + attempt);
        }
      }
    }
    known.keySet().retainAll(live);
  }

  private boolean closed(Member member, Instant now) {
    return durable.stores().inventory().node(member.node()).stream()
        .flatMap(node -> NodeNotice.of(node.taints()).stream())
        .anyMatch(notice -> notice.stops() && notice.closes(now));
  }

  /**
   * Notices pause and then continue for a few minutes, so that every job can end. A notice in the
   * pause could be one of 20 minutes, which outlives the run.
   */
  @Override
  public void heal() {
    if (open) {
      pauses = true;
      List.copyOf(noticed.values()).forEach(Announcement::withdraw);
      time.in(
          SETTLED,
          "notices without faults",
          () -> {
            calm = true;
            pauses = false;
            later(Duration.ofSeconds(20));
          });
      time.in(REMAIN, "the last notice", () -> open = false);
    }
  }

  @Override
  public void check() {
    if (broken != null) {
      throw broken;
    }
  }

  @Override
  public void end() {
    durable.stores().inventory().nodes(null).stream()
        .filter(n -> n.state() != NodeState.RETIRED && NodeNotice.of(n.taints()).isPresent())
        .findFirst()
        .ifPresent(n -> {
          throw new InvariantBroken(Invariant.NOTICE_ENDS, n.name() + " has " + n.taints());
        });
  }
}
