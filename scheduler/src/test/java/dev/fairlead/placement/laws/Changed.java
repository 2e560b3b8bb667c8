package dev.fairlead.placement.laws;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.PlaceFailure;
import dev.fairlead.job.Reservation;
import dev.fairlead.quota.PastUse;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Worlds that differ from another in one list. */
public final class Changed {
  private Changed() {}

  public static World clusters(World w, List<Cluster> clusters) {
    return new World(
        w.asOf(),
        clusters,
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  public static World nodes(World w, List<Node> nodes) {
    return new World(
        w.asOf(),
        w.clusters(),
        nodes,
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  public static World quotas(World w, List<QuotaNode> quotas) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        quotas,
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  static World uses(World w, List<QuotaUse> uses) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        uses,
        w.pending(),
        w.live(),
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  static World pending(World w, List<PendingJob> pending) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        pending,
        w.live(),
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  public static World live(World w, List<World.LiveAttempt> live) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        live,
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  public static World reservations(World w, List<Reservation> reservations) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        reservations,
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  public static World asOf(World w, Instant asOf) {
    return new World(
        asOf,
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations(),
        w.placeFailures(),
        w.pastUses(),
        w.prices());
  }

  public static World failures(World w, List<PlaceFailure> failures) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations(),
        failures,
        w.pastUses(),
        w.prices());
  }

  public static World past(World w, List<PastUse> past) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations(),
        w.placeFailures(),
        past,
        w.prices());
  }

  /** The same rows in another order. */
  static World shuffled(World w, Random random) {
    return new World(
        w.asOf(),
        mixed(w.clusters(), random),
        mixed(w.nodes(), random),
        mixed(w.quotaNodes(), random),
        mixed(w.quotaUses(), random),
        mixed(w.pending(), random),
        mixed(w.live(), random),
        mixed(w.reservations(), random),
        mixed(w.placeFailures(), random),
        mixed(w.pastUses(), random),
        w.prices());
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
