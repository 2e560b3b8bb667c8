package dev.fairlead.placement.deserved;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A queue or group: its rights, and what it uses. */
public final class Account {
  private final Rights rights;
  private final SortedMap<String, Long> used = new TreeMap<>();
  private final SortedMap<String, Long> fixed = new TreeMap<>();
  private final SortedMap<String, Double> deserved = new TreeMap<>();

  /**
   * What a queue may have, in base units by resource.
   *
   * @param parent null at the root
   * @param created order of creation, 0 = oldest
   * @param nominal without an entry unlimited
   * @param limit without an entry none
   * @param weight of the division above nominal; without an entry 1
   */
  public record Rights(
      String name,
      @Nullable String parent,
      int created,
      int priority,
      Map<String, Long> nominal,
      Map<String, Long> limit,
      Map<String, Double> weight) {}

  public Account(Rights rights) {
    this.rights = rights;
  }

  Rights rights() {
    return rights;
  }

  void use(Map<String, Long> charged, boolean preemptible, int sign) {
    charged.forEach((resource, amount) -> {
      used.merge(resource, sign * amount, Long::sum);
      if (!preemptible) {
        fixed.merge(resource, sign * amount, Long::sum);
      }
    });
  }

  long used(String resource) {
    return used.getOrDefault(resource, 0L);
  }

  void deserves(String resource, double share) {
    deserved.put(resource, share);
  }

  double deserved(String resource) {
    return deserved.getOrDefault(resource, 0.0);
  }

  /** Within the limit, and for work that cannot be evicted within nominal. */
  boolean allows(Map<String, Long> more, boolean preemptible) {
    for (Map.Entry<String, Long> asked : more.entrySet()) {
      Long limit = rights.limit().get(asked.getKey());
      Long nominal = rights.nominal().get(asked.getKey());
      long firm = fixed.getOrDefault(asked.getKey(), 0L) + asked.getValue();
      boolean above = limit != null && used(asked.getKey()) + asked.getValue() > limit;
      if (asked.getValue() > 0 && (above || !preemptible && nominal != null && firm > nominal)) {
        return false;
      }
    }
    return true;
  }

  /** Whether it stays within its deserved share with more. */
  boolean deserves(Map<String, Long> more) {
    return more.entrySet().stream()
        .allMatch(e -> used(e.getKey()) + e.getValue() <= deserved(e.getKey()));
  }

  /** Whether it stays within its nominal quota with more. */
  boolean owns(Map<String, Long> more) {
    return more.entrySet().stream()
        .allMatch(e -> {
          Long nominal = rights.nominal().get(e.getKey());
          return nominal == null || used(e.getKey()) + e.getValue() <= nominal;
        });
  }

  /** Whether it uses more of something than it deserves. */
  boolean aboveDeserved() {
    return used.keySet().stream().anyMatch(r -> used(r) > deserved(r));
  }

  /** Whether it uses more of something than its nominal quota. */
  boolean aboveNominal() {
    return used.keySet().stream()
        .anyMatch(r -> {
          Long nominal = rights.nominal().get(r);
          return nominal != null && used(r) > nominal;
        });
  }

  /**
   * Largest ratio of use, with more, to what it deserves or owns; infinite for use of what it does
   * not.
   */
  double ratio(Map<String, Long> more) {
    double largest = 0;
    for (String resource : deserved.keySet()) {
      long use = used(resource) + more.getOrDefault(resource, 0L);
      Long nominal = rights.nominal().get(resource);
      double share =
          nominal == null ? Double.POSITIVE_INFINITY : Math.max(deserved(resource), nominal);
      double ratio = use == 0 ? 0 : use / share;
      largest = Math.max(largest, ratio);
    }
    return largest;
  }
}
