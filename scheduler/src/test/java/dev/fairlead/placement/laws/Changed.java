package dev.fairlead.placement.laws;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
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

  static World clusters(World w, List<Cluster> clusters) {
    return new World(
        w.asOf(),
        clusters,
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations());
  }

  static World nodes(World w, List<Node> nodes) {
    return new World(
        w.asOf(),
        w.clusters(),
        nodes,
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations());
  }

  static World quotas(World w, List<QuotaNode> quotas) {
    return new World(
        w.asOf(),
        w.clusters(),
        w.nodes(),
        quotas,
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations());
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
        w.reservations());
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
        w.reservations());
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
        w.reservations());
  }

  static World asOf(World w, Instant asOf) {
    return new World(
        asOf,
        w.clusters(),
        w.nodes(),
        w.quotaNodes(),
        w.quotaUses(),
        w.pending(),
        w.live(),
        w.reservations());
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
        mixed(w.reservations(), random));
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
