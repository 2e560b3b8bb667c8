package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ClusterRefusal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the clusters that denied a job, by a policy or because they lack a claim of the job.
 *
 * @param clusters that denied it by a policy
 * @param denied attempts of these
 * @param lacking number of missing claims by cluster within the last hour, since the job last ran
 *     on that cluster
 */
public record AdmissionDenials(
    Set<ClusterId> clusters, int denied, SortedMap<ClusterId, Integer> lacking) {
  /**
   * An older denial does not count, because the claim may exist now. Four tries take less than five
   * minutes.
   */
  private static final Duration RECENT = Duration.ofHours(1);

  /**
   * @param now is denied, which is not stored yet
   * @param kind kind of the denial: not {@link ClusterRefusal#FOR_NOW}
   * @param stored attempts of the same job and element, in the order of their numbers
   */
  static AdmissionDenials of(Attempt now, ClusterRefusal kind, Iterable<Attempt> stored) {
    AdmissionDenials denials = new AdmissionDenials(new TreeSet<>(), 0, new TreeMap<>());
    Instant recent = now.createdAt().minus(RECENT);
    for (Attempt before : stored) {
      if (!before.id().equals(now.id())) {
        denials = denials.with(before.cluster(), refusal(before), before.createdAt(), recent);
      }
    }
    return denials.with(now.cluster(), Optional.of(kind), now.createdAt(), recent);
  }

  private static Optional<ClusterRefusal> refusal(Attempt attempt) {
    return Optional.ofNullable(attempt.failure()).flatMap(ClusterRefusal::of);
  }

  private AdmissionDenials with(
      ClusterId cluster, Optional<ClusterRefusal> refusal, Instant at, Instant recent) {
    SortedMap<ClusterId, Integer> lacks = new TreeMap<>(lacking);
    if (refusal.isEmpty()) {
      lacks.remove(cluster);
      return new AdmissionDenials(clusters, denied, lacks);
    }
    return switch (refusal.get()) {
      case FOR_NOW -> this;
      case POLICY -> {
        Set<ClusterId> all = new TreeSet<>(clusters);
        all.add(cluster);
        yield new AdmissionDenials(all, denied + 1, lacking);
      }
      case STORAGE -> {
        if (!at.isBefore(recent)) {
          lacks.merge(cluster, 1, Integer::sum);
        }
        yield new AdmissionDenials(clusters, denied, lacks);
      }
    };
  }

  /**
   * Returns whether a policy denied it on every cluster, for longer than the repair of a policy
   * takes.
   *
   * @param usable clusters with the hardware of the job
   */
  public boolean deniedBy(Set<ClusterId> usable) {
    return denied >= ClusterRefusal.MOST_TRIES && clusters.containsAll(usable);
  }

  /**
   * Returns whether each of these clusters lacked a claim. A full or unreachable cluster did not
   * deny it, so the job waits for that cluster.
   *
   * @param named clusters open to the job, including clusters that expect new nodes
   */
  public boolean lackedBy(Set<ClusterId> named) {
    return lacking.keySet().containsAll(named);
  }

  /** Returns whether the clusters without a claim lacked it repeatedly. */
  public boolean looked() {
    return lacking.values().stream().allMatch(tries -> tries >= ClusterRefusal.MOST_TRIES);
  }
}
