package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Worlds that differ from another in one list. */
public final class Changed {
  private Changed() {}

  public static World clusters(World w, List<Cluster> clusters) {
    return w.toBuilder().clusters(clusters).build();
  }

  public static World nodes(World w, List<Node> nodes) {
    return w.toBuilder().nodes(nodes).build();
  }

  public static World quotas(World w, List<QuotaNode> quotas) {
    return w.toBuilder().quotaNodes(quotas).build();
  }

  static World uses(World w, List<QuotaUse> uses) {
    return w.toBuilder().quotaUses(uses).build();
  }

  static World pending(World w, List<PendingJob> pending) {
    return w.toBuilder().pending(pending).build();
  }

  public static World live(World w, List<World.LiveAttempt> live) {
    return w.toBuilder().live(live).build();
  }

  public static World reservations(World w, List<Reservation> reservations) {
    return w.toBuilder().reservations(reservations).build();
  }

  public static World asOf(World w, Instant asOf) {
    return w.toBuilder().asOf(asOf).build();
  }

  public static World failures(World w, List<PlaceFailure> failures) {
    return w.toBuilder().placeFailures(failures).build();
  }

  public static World past(World w, List<PastUse> past) {
    return w.toBuilder().pastUses(past).build();
  }

  /** The same rows in another order. */
  static World shuffled(World w, Random random) {
    return w.toBuilder()
        .clusters(mixed(w.clusters(), random))
        .nodes(mixed(w.nodes(), random))
        .quotaNodes(mixed(w.quotaNodes(), random))
        .quotaUses(mixed(w.quotaUses(), random))
        .pending(mixed(w.pending(), random))
        .live(mixed(w.live(), random))
        .reservations(mixed(w.reservations(), random))
        .placeFailures(mixed(w.placeFailures(), random))
        .pastUses(mixed(w.pastUses(), random))
        .build();
  }

  static <T> List<T> without(List<T> list, T gone) {
    return list.stream().filter(each -> each != gone).toList();
  }

  static <T> List<T> replaced(List<T> list, T old, T by) {
    return list.stream().map(each -> each == old ? by : each).toList();
  }

  private static <T> List<T> mixed(List<T> list, Random random) {
    List<T> mixed = new ArrayList<>(list);
    Collections.shuffle(mixed, random);
    return mixed;
  }
}
