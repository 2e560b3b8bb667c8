package dev.fairlead.placement.deserved;

import org.jspecify.annotations.Nullable;

/** Devices of one node that several tasks use together: taken by the first, freed by the last. */
public final class SharedClaim {
  private final String devices;
  private final long count;
  private final int most;
  private final int elsewhere;
  private int users;
  private @Nullable Machine home;

  /**
   * A claim that has no devices yet.
   *
   * @param devices name under which nodes have them
   * @param count base units of them
   * @param most tasks that may use the claim at once
   * @param elsewhere users that are not among the tasks
   */
  public SharedClaim(String devices, long count, int most, int elsewhere) {
    this.devices = devices;
    this.count = count;
    this.most = most;
    this.elsewhere = elsewhere;
  }

  boolean open(Machine machine) {
    boolean room = home == null ? machine.idle(devices) >= count : home.equals(machine);
    return room && elsewhere + users < most;
  }

  void join(Machine machine) {
    if (home == null) {
      machine.take(devices, count);
      home = machine;
    }
    users++;
  }

  void leave() {
    users--;
    if (users == 0 && home != null) {
      home.take(devices, -count);
      home = null;
    }
  }
}
