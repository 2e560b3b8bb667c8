package dev.fairlead.placement.deserved;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The steps of scheduling by deserved shares (the actions of KAI-Scheduler). A gang starts whole or
 * not at all; nothing is evicted for a job that then does not start.
 */
public final class Phases {
  private final List<Machine> machines;
  private final List<Work> works;
  private final Accounts accounts;
  private final SortedMap<String, Long> total;

  /**
   * Over a world as it is.
   *
   * @param total base units that there are, by resource that queues are charged
   * @param unit base units of one whole unit in the division
   */
  public Phases(
      Collection<Machine> machines,
      Collection<Work> works,
      Collection<Account> accounts,
      Map<String, Long> total,
      double unit) {
    this.machines = List.copyOf(machines);
    this.works = List.copyOf(works);
    this.accounts = new Accounts(accounts, unit);
    this.total = new TreeMap<>(total);
    works.forEach(work -> this.accounts.use(work, work.runningParts(), 1));
  }

  /** Starts what fits, the queue with the least of its share first. */
  public void allocate() {
    accounts.divide(total, works);
    SortedSet<String> refused = new TreeSet<>();
    for (Work next = next(refused); next != null; next = next(refused)) {
      if (!start(next)) {
        refused.add(next.name());
      }
    }
  }

  /** For each waiting job of a queue below its share: takes from queues above theirs. */
  public void reclaim() {
    evictFor(this::reclaims);
  }

  /** For each waiting job: takes from jobs of lower priority in its queue. */
  public void preempt() {
    evictFor((work, victim) ->
        victim.queue().equals(work.queue()) && victim.priority() < work.priority());
  }

  /** Whether one job may take from another, as things stand. */
  @FunctionalInterface
  private interface May {
    boolean evict(Work work, Work victim);
  }

  private void evictFor(May may) {
    accounts.divide(total, works);
    SortedSet<String> tried = new TreeSet<>();
    for (Work next = next(tried); next != null; next = next(tried)) {
      tried.add(next.name());
      evictFor(next, may);
    }
  }

  private @Nullable Work next(SortedSet<String> without) {
    return works.stream()
        .filter(w -> !without.contains(w.name()) && !w.next().isEmpty() && known(w))
        .min(accounts::compare)
        .orElse(null);
  }

  private boolean known(Work work) {
    return !accounts.path(work.queue()).isEmpty();
  }

  private boolean reclaims(Work work, Work victim) {
    SortedMap<String, Long> asked = Accounts.charged(work.next());
    if (victim.queue().equals(work.queue())) {
      return false;
    }
    Account ours = accounts.side(work.queue(), victim.queue());
    Account theirs = accounts.side(victim.queue(), work.queue());
    return (theirs.aboveDeserved() || ours.owns(asked) && theirs.aboveNominal())
        && accounts.below(work.queue(), ours).stream().allMatch(a -> a.deserves(asked));
  }

  private void evictFor(Work work, May may) {
    List<Evicted> gone = new ArrayList<>();
    for (Work victim = victim(work, may); victim != null; victim = victim(work, may)) {
      gone.add(Evicted.of(victim, victim.units().getFirst(), accounts));
      if (start(work)) {
        keep(gone);
        return;
      }
    }
    gone.reversed().forEach(evicted -> evicted.back(accounts));
  }

  private @Nullable Work victim(Work work, May may) {
    return works.stream()
        .filter(w -> w.preemptible() && w.anyRuns() && w != work && may.evict(work, w))
        .min(order(work))
        .orElse(null);
  }

  private Comparator<Work> order(Work work) {
    return Comparator.comparingDouble((Work w) ->
            w.queue().equals(work.queue())
                ? 0
                : -accounts.side(w.queue(), work.queue()).ratio(new TreeMap<>()))
        .thenComparing(Work.CHEAPEST);
  }

  /** Gives back every unit that is not in the way, the last taken first. */
  private void keep(List<Evicted> gone) {
    for (Evicted evicted : gone.reversed()) {
      evicted.back(accounts);
      if (!evicted.restored()) {
        evicted.again(accounts);
      }
    }
  }

  /** Starts the next tasks of a job together; false leaves everything as it was. */
  private boolean start(Work work) {
    List<Part> parts = work.next();
    if (parts.isEmpty() || !accounts.allows(work, Accounts.charged(parts))) {
      return false;
    }
    for (List<Machine> place : places(work)) {
      if (start(work, parts, place)) {
        accounts.use(work, parts, 1);
        return true;
      }
    }
    return false;
  }

  private boolean start(Work work, List<Part> parts, List<Machine> place) {
    List<Part> seated = new ArrayList<>();
    for (Part part : parts) {
      Machine machine =
          place.stream()
              .sorted(
                  Comparator.comparingLong(
                          (Machine m) -> part.devices() > 0 ? m.idle() : m.idle("cpu"))
                      .thenComparing(Machine::name))
              .filter(m -> m.seat(part))
              .findFirst()
              .orElse(null);
      if (machine == null) {
        seated.forEach(p -> unseat(work, p));
        return false;
      }
      work.runs(part, machine);
      seated.add(part);
    }
    return true;
  }

  private static void unseat(Work work, Part part) {
    Machine machine = work.at(part.name());
    if (machine != null) {
      machine.leave(part);
      work.waits(part);
    }
  }

  /** Sets of nodes to try: each preferred domain, then each required one, or all there are. */
  private List<List<Machine>> places(Work work) {
    Work.Near near = work.near();
    List<List<Machine>> places = new ArrayList<>();
    if (near == null) {
      places.add(machines);
      return places;
    }
    String preferred = near.preferred();
    String required = near.required();
    if (preferred != null) {
      places.addAll(domains(preferred));
    }
    if (required != null) {
      places.addAll(domains(required));
    } else {
      places.add(machines);
    }
    return places;
  }

  private List<List<Machine>> domains(String label) {
    SortedMap<String, List<Machine>> domains = new TreeMap<>();
    for (Machine machine : machines) {
      if (!machine.label(label).isEmpty()) {
        domains.computeIfAbsent(machine.label(label), l -> new ArrayList<>()).add(machine);
      }
    }
    return domains.values().stream()
        .sorted(
            Comparator.comparingLong(
                (List<Machine> d) -> d.stream().mapToLong(Machine::idle).sum()))
        .toList();
  }
}
