package dev.fairlead.front;

import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.Replica;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The status of a ModelService.
 *
 * @param generation generation of its current spec
 * @param digest digest of its current spec
 * @param observed generation that the conditions describe, 0 before the first status
 * @param serving its service, null if none
 * @param conditions Ready, Reconciling and Stalled under the rules of kstatus, or none before the
 *     first status
 */
public record ServiceStatus(
    long generation,
    String digest,
    long observed,
    @Nullable Serving serving,
    List<FrontCondition> conditions) {
  public static final String READY = "Ready";
  public static final String RECONCILING = "Reconciling";
  public static final String STALLED = "Stalled";

  public ServiceStatus {
    conditions = List.copyOf(conditions);
  }

  /**
   * The traffic of a service.
   *
   * @param route host name
   * @param replicas wanted number of ready replicas
   * @param stable number of the version that has the traffic outside rollouts
   * @param latest number of the newest version
   * @param versions with traffic or replicas, in ascending order
   */
  public record Serving(
      String route, int replicas, int ready, int stable, int latest, List<Version> versions) {
    public Serving {
      versions = List.copyOf(versions);
    }

    static Serving of(OwnedService service, Instant now) {
      SortedSet<Integer> numbers = new TreeSet<>(service.state().weights().keySet());
      service.replicas().forEach(each -> numbers.add(each.replica().version()));
      return new Serving(
          service.settings().route(),
          service.wanted(now),
          service.ready(),
          service.state().stable(),
          service.state().latest(),
          numbers.stream().map(number -> Version.of(service, number)).toList());
    }
  }

  /**
   * A version of a service.
   *
   * @param weight share of the traffic in percent
   * @param replicas their number, ready or not
   */
  public record Version(int number, int weight, int ready, int replicas) {
    static Version of(OwnedService service, int number) {
      List<Replica.Seen> own =
          service.replicas().stream().filter(each -> each.replica().version() == number).toList();
      return new Version(
          number,
          service.state().weights().getOrDefault(number, 0),
          (int) own.stream().filter(r -> r.condition() == Replica.Condition.READY).count(),
          own.size());
    }
  }

  /** The status of a ModelService that Fairlead has not examined. */
  public static ServiceStatus unread(long generation, String digest) {
    return new ServiceStatus(generation, digest, 0, null, List.of());
  }

  /** Returns whether the condition of this type is true. */
  public boolean is(String type) {
    return conditions.stream().anyMatch(one -> one.type().equals(type) && one.is());
  }

  /** The status after this one, which describes the current spec. */
  ServiceStatus next(@Nullable Serving now, List<FrontCondition> set) {
    return new ServiceStatus(
        generation, digest, generation, now, set.stream().map(this::after).toList());
  }

  private FrontCondition after(FrontCondition set) {
    return conditions.stream()
        .filter(one -> one.type().equals(set.type()))
        .findFirst()
        .map(set::after)
        .orElse(set);
  }
}
