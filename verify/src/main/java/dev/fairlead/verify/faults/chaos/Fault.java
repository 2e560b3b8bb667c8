package dev.fairlead.verify.faults.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Faults of the processes and the network, injected one after the other. */
enum Fault {
  KILL_REPLICA,
  KILL_POSTGRES,
  KILL_API_SERVER,
  PAUSE_REPLICA,
  PAUSE_POSTGRES,
  PAUSE_API_SERVER,
  CUT_CLUSTER,
  CUT_WATCHES,
  HANG_CLUSTER,
  SLOW_CLUSTER,
  PROMOTE_STANDBY;

  private static final List<Fault> KILLS = List.of(KILL_REPLICA, KILL_POSTGRES, KILL_API_SERVER);
  private static final List<Fault> PAUSES =
      List.of(
          PAUSE_REPLICA,
          PAUSE_POSTGRES,
          PAUSE_API_SERVER,
          CUT_WATCHES,
          HANG_CLUSTER,
          SLOW_CLUSTER,
          CUT_CLUSTER,
          PAUSE_REPLICA);

  /** A pause of a replica, PostgreSQL and an API server, and a cut of all watches. */
  private static final int FEWEST_PAUSES = 4;

  /** Number of pauses and cuts of a run: half as many as kills, and at least one of each pause. */
  static int pauses(int kills) {
    return Math.max((kills + 1) / 2, FEWEST_PAUSES);
  }

  /**
   * Kills with their pauses and cuts, in an order drawn by seed. Halfway the primary dies
   * permanently and its standby takes over.
   */
  static List<Fault> plan(int kills, Random random) {
    List<Fault> plan = new ArrayList<>();
    for (int i = 0; i < kills; i++) {
      plan.add(KILLS.get(i % KILLS.size()));
    }
    for (int i = 0; i < pauses(kills); i++) {
      plan.add(PAUSES.get(i % PAUSES.size()));
    }
    Collections.shuffle(plan, random);
    plan.add(plan.size() / 2, PROMOTE_STANDBY);
    return plan;
  }
}
