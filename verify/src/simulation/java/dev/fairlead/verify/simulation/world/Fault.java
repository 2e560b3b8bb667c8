package dev.fairlead.verify.simulation.world;

/** The faults that a run may cause. */
public enum Fault {
  /** The process ends between two outgoing calls, and another replaces it. */
  CRASH(0.008),
  /** The process pauses between two calls and continues with stale state. */
  PAUSE(0.005),
  /** The process pauses between reading the world and planning. */
  STALE_PLAN(0.05),
  /** The database connection breaks before the commit. */
  DATABASE_BEFORE(0.01),
  /** The database connection breaks after the commit: the outcome is unknown. */
  DATABASE_AFTER(0.01),
  /** An order is not sent. */
  UNSENT(0.1),
  /** An order takes effect, its answer is lost. */
  LOST_ANSWER(0.1),
  /** An order times out and takes effect later. */
  LATE_EFFECT(0.1),
  /** An observation is lost. */
  DROPPED(0.05),
  /** An observation is repeated. */
  DUPLICATE(0.2),
  /** An older observation arrives after a newer one. */
  STALE(0.1),
  /** An older node report of this process or another arrives after a newer one. */
  STALE_NODES(0.05),
  /** A pod of another UID is shown under our name. */
  IMPOSTOR(0.01),
  /** The cluster is cut off. */
  CUT(1),
  /** The cluster receives our calls, and its answers are lost. */
  DEAF(1),
  SILENT_NODE(1),
  /** A kubelet dies: processes continue beyond their deadlines and grace periods. */
  DEAD_KUBELET(1),
  REBOOT(1),
  /** A node loses its processes and returns with invented results under the same boot id. */
  CRASHED_NODE(1),
  /** Results arrive up to two seconds late, in any order. */
  LATE_RESULTS(0.5),
  DEAD_MACHINE(1),
  DEAD_GPU(1),
  /** A monitor reports a GPU as lost, and an operator exchanges it after a while. */
  SICK_GPU(1),
  CORDON(1),
  /** An operator drains a node, and takes it back after a while. */
  DRAIN(1),
  FOREIGN_POD(1),
  FOREIGN_OBJECT(0.5),
  DELETED_POD(1),
  /** The store's clock steps. */
  CLOCK_STEP(0.5),
  /**
   * The database fails over to a machine whose clock is hours ahead or behind. Processes may end
   * too.
   */
  CLOCK_LEAP(1),
  /** Another server without Jobs responds for a front cluster. */
  OTHER_SERVER(1),
  /** The etcd of a front cluster is restored from a backup. */
  ETCD_RESTORED(1),
  /**
   * The process ends between a submit, for a front or a transfer, and the row that names its job.
   */
  KILLED_BETWEEN(0.1),
  /** An API server does not show the claim of a volume for a while. */
  CLAIM_HIDDEN(1),
  /**
   * The etcd of a cluster is restored without the claims of many volumes. Most claims are restored
   * once Fairlead has noticed their loss, the rest later.
   */
  CLAIMS_FORGOTTEN(1),
  /** A copy of the database uses the log store of its original. */
  DATABASE_COPY(1),
  /** The process that holds the lease of the loop of budgets ends. */
  BUDGET_HOLDER(1),
  /** Hours of use are not closed for a while. */
  USAGE_LATE(1),
  /** An operator lowers the count of a licence for a while. */
  LICENCE_LOWERED(1),
  /** The owner of a pool changes its windows for a while. */
  WINDOWS_CHANGED(1),
  /** The controller of an admission check is dead for a while. */
  CHECKER_DEAD(1);

  /** Highest rate: a probability per call, or a weight among the faults of clusters. */
  public final double most;

  Fault(double most) {
    this.most = most;
  }

  public boolean ofClusters() {
    return ordinal() >= CUT.ordinal() && this != KILLED_BETWEEN;
  }

  /** Returns whether an {@link Area} causes it. */
  public boolean ofAreas() {
    return ordinal() > CLOCK_STEP.ordinal();
  }
}
