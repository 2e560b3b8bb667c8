package dev.fairlead.placement.deserved;

import dev.fairlead.placement.share.Claim;
import dev.fairlead.placement.share.DeservedShares;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The queues as a tree, with use and deserved shares. */
final class Accounts {
  private final SortedMap<String, Account> byName = new TreeMap<>();
  private final double unit;

  /**
   * Over these queues.
   *
   * @param unit base units of one whole unit in the division
   */
  Accounts(Collection<Account> accounts, double unit) {
    this.unit = unit;
    accounts.forEach(account -> byName.put(account.rights().name(), account));
  }

  /** The queue and the groups above it. */
  List<Account> path(String queue) {
    List<Account> path = new ArrayList<>();
    Account account = byName.get(queue);
    while (account != null && path.size() <= byName.size()) {
      path.add(account);
      String parent = account.rights().parent();
      account = parent == null ? null : byName.get(parent);
    }
    return path;
  }

  void use(Work work, Collection<Part> parts, int sign) {
    for (Part part : parts) {
      path(work.queue()).forEach(a -> a.use(part.charged(), work.preemptible(), sign));
    }
  }

  boolean allows(Work work, Map<String, Long> more) {
    return !path(work.queue()).isEmpty()
        && path(work.queue()).stream().allMatch(a -> a.allows(more, work.preemptible()));
  }

  /** Divides what there is by what every queue uses and asks for. */
  void divide(Map<String, Long> total, Collection<Work> works) {
    for (Map.Entry<String, Long> resource : total.entrySet()) {
      SortedMap<String, Double> requests = requests(resource.getKey(), works);
      List<Claim> claims = new ArrayList<>();
      byName.values().forEach(a -> claims.add(claim(a.rights(), resource.getKey(), requests)));
      SortedMap<String, Double> shares = DeservedShares.divide(resource.getValue() / unit, claims);
      byName.forEach((name, account) ->
          account.deserves(resource.getKey(), shares.getOrDefault(name, 0.0) * unit));
    }
  }

  private SortedMap<String, Double> requests(String resource, Collection<Work> works) {
    SortedMap<String, Double> requests = new TreeMap<>();
    for (Work work : works) {
      List<Part> all = new ArrayList<>(work.runningParts());
      all.addAll(work.waiting());
      double sum =
          all.stream().mapToDouble(p -> p.charged().getOrDefault(resource, 0L)).sum() / unit;
      path(work.queue()).forEach(a -> requests.merge(a.rights().name(), sum, Double::sum));
    }
    return requests;
  }

  private Claim claim(Account.Rights rights, String resource, Map<String, Double> requests) {
    Long nominal = rights.nominal().get(resource);
    Long limit = rights.limit().get(resource);
    return new Claim(
        rights.name(),
        rights.parent(),
        rights.created(),
        rights.priority(),
        nominal == null ? Claim.UNLIMITED : nominal / unit,
        limit == null ? Claim.UNLIMITED : limit / unit,
        rights.weight().getOrDefault(resource, 1.0),
        requests.getOrDefault(rights.name(), 0.0));
  }

  /**
   * Whose turn it is of two, at the level where their ways part: who stays within nominal, higher
   * priority, smaller ratio after it, older.
   */
  int compare(Work a, Work b) {
    if (a.queue().equals(b.queue())) {
      return Work.FIRST.compare(a, b);
    }
    Account ours = side(a.queue(), b.queue());
    Account theirs = side(b.queue(), a.queue());
    SortedMap<String, Long> askA = charged(a.next());
    SortedMap<String, Long> askB = charged(b.next());
    int byNominal = Boolean.compare(theirs.owns(askB), ours.owns(askA));
    int byPriority = Integer.compare(theirs.rights().priority(), ours.rights().priority());
    int byRatio = Double.compare(ours.ratio(askA), theirs.ratio(askB));
    int byAge = Integer.compare(ours.rights().created(), theirs.rights().created());
    int byName = ours.rights().name().compareTo(theirs.rights().name());
    for (int by : new int[] {byNominal, byPriority, byRatio, byAge}) {
      if (by != 0) {
        return by;
      }
    }
    return byName;
  }

  /** The node on the way of a queue just below where the way of the other meets it. */
  Account side(String queue, String other) {
    SortedSet<String> shared = new TreeSet<>();
    path(other).forEach(a -> shared.add(a.rights().name()));
    Account last = path(queue).getFirst();
    for (Account account : path(queue)) {
      if (shared.contains(account.rights().name())) {
        return last;
      }
      last = account;
    }
    return last;
  }

  /** The way of a queue up to one node of it, that one included. */
  List<Account> below(String queue, Account last) {
    List<Account> path = path(queue);
    return path.subList(0, path.indexOf(last) + 1);
  }

  static SortedMap<String, Long> charged(Collection<Part> parts) {
    SortedMap<String, Long> sum = new TreeMap<>();
    parts.forEach(p -> p.charged().forEach((r, amount) -> sum.merge(r, amount, Long::sum)));
    return sum;
  }
}
