package dev.fairlead.verify.simulation.world;

import dev.fairlead.verify.simulation.care.DeviceArea;
import dev.fairlead.verify.simulation.care.SeriesArea;
import dev.fairlead.verify.simulation.front.FrontObjects;
import dev.fairlead.verify.simulation.front.InPlaceArea;
import dev.fairlead.verify.simulation.serving.ServingArea;
import dev.fairlead.verify.simulation.serving.SleepArea;
import dev.fairlead.verify.simulation.work.BackendArea;
import dev.fairlead.verify.simulation.work.NoticeArea;
import dev.fairlead.verify.simulation.work.WarmArea;

/** Guards that a negative control removes. */
public enum Guard {
  /** A transaction under a deposed epoch is refused. */
  FENCE(Fault.PAUSE),
  /** Like FENCE, without a check, for the guards that must hold behind it. */
  FENCE_CHECK(Fault.STALE_PLAN),
  /** The scheduler's plan knows the used quota. */
  QUOTA_KNOWN(Fault.PAUSE),
  /** Quota is checked in the allocation's transaction. */
  QUOTA(Fault.STALE_PLAN),
  /** A placement is written only if the job equals the planned job on the locked row. */
  VERSION(Fault.STALE_PLAN),
  /** At most one live attempt of a job and element: the unique index. */
  LIVE_ATTEMPT(Fault.STALE_PLAN),
  /** Room and GPU slots are checked in the allocation's transaction. */
  ROOM(Fault.STALE_PLAN),
  /** An observation of another UID is not the member's own. */
  UID(Fault.IMPOSTOR),
  /** Silence is not evidence of death. */
  EVIDENCE(Fault.SILENT_NODE),
  /**
   * A passed deadline does not prove the death of a waiting job's attempt, because its kubelet may
   * be dead.
   */
  WAITING(Fault.DEAD_KUBELET),
  /** The proof of a node comes from a direct read of its cluster, not from a watch that may lag. */
  NODE_NOW(Fault.STALE_NODES),
  /** A member counts as never created only when its name was read as free. */
  ABSENT(Fault.LATE_EFFECT),
  /** A create that arrives after its attempt was stopped has no effect. */
  TOMBSTONE(Fault.LATE_EFFECT),
  /** A pod that ended before its deletion is distinguished from a pod that the deletion ended. */
  FINISHED(Fault.DRAIN),
  /** A member that was ordered to leave holds its resources until it is dead. */
  LEAVING(Fault.LATE_EFFECT),
  /** An acknowledged write is stored: a submit is acknowledged after its commit. */
  ACK(Fault.DATABASE_BEFORE),
  /** The answer to a key is stored with its effect. */
  KEY(Fault.CRASH),
  /** The name of an active job is not given a second time. */
  NAME(Fault.CRASH),
  /** The resources of an attempt are released at its end. */
  RELEASE(Fault.DELETED_POD),
  /** An end state is final. */
  TERMINAL(Fault.STALE_PLAN),
  /** An object remains until its result is stored, even if it is deleted. */
  FINALIZER(Fault.DELETED_POD),
  /** An attempt counts as retired when its cluster reports that no object is left. */
  RETIRE(Fault.UNSENT),
  /** Reports of its cluster do not end the quarantine of a node. */
  QUARANTINE(Fault.SICK_GPU),
  /** Reports of its cluster do not end the quarantine of a GPU. */
  QUARANTINE_GPU(Fault.SICK_GPU),
  /** A reservation is abandoned when it is used, has ended, or no job needs it. */
  KEPT_END(Fault.SICK_GPU),
  /** The scheduler knows all reservations of freed capacity, when it plans and when it writes. */
  RESERVATION(Fault.STALE_PLAN),
  /** No hour is closed by a clock of the database that no other clock confirms. */
  BELIEVED(Fault.CLOCK_LEAP),
  /** A GPU is taken and released at a time that other clocks confirm. */
  STAMP(Fault.CLOCK_LEAP),
  /** No use begins or ends in a closed hour, or before the last use of the GPU. */
  CLOSED_HOUR(Fault.CLOCK_LEAP),
  /** Many Jobs missing on a front count as deleted only after an operator's confirmation. */
  CONFIRMED_LOSS(Fault.OTHER_SERVER),
  /** The job of a Job is found by its name when no row names it. */
  EARLIER_SUBMIT(Fault.KILLED_BETWEEN),
  /** A Job of a namespace without a project is not adopted. */
  NAMESPACE(Fault.CORDON),
  /** One check that does not find its claim does not prove that a volume is lost. */
  LOST_AFTER(Fault.CLAIM_HIDDEN),
  /** The claim of a lost volume is checked again. */
  FOUND(Fault.CLAIM_HIDDEN),
  /** Many claims that a cluster does not show are lost only when an operator confirmed it. */
  CLAIMS_CONFIRMED(Fault.CLAIMS_FORGOTTEN),
  /** The circuit breaker of volumes is stored, so that the next process knows it. */
  BREAKER_STORED(Fault.CLAIMS_FORGOTTEN),
  /** A database stores the nonces that it drew for the claim of the log store. */
  NONCE(Fault.DATABASE_COPY),
  /** A cluster shows a copy of the database that it has a later watermark. */
  LATER_WATERMARK(Fault.DATABASE_COPY),
  /** A start that a budget has too little for is refused in the allocation's transaction. */
  BUDGET(Fault.STALE_PLAN),
  /** The scheduler's plan knows the figures of budgets. */
  BUDGET_KNOWN(Fault.STALE_PLAN),
  /** A start first reserves the next hour of attempts that last longer than they reserved. */
  RENEWAL(Fault.DEAD_KUBELET),
  /** Budgets use a time that other clocks confirm. */
  BUDGET_CLOCK(Fault.CLOCK_LEAP),
  /** Licences are counted in the allocation's transaction. */
  LICENCE(Fault.STALE_PLAN),
  /** The scheduler's plan knows the licences. */
  LICENCE_KNOWN(Fault.LICENCE_LOWERED),
  /** The windows of a pool are checked in the allocation's transaction. */
  WINDOW(Fault.STALE_PLAN),
  /** Supervisors know the windows of pools. */
  WINDOW_LEAVE(Fault.WINDOWS_CHANGED),
  /** The admission checks of the queue are read in the allocation's transaction. */
  CHECK(Fault.CHECKER_DEAD),
  /** The scheduler's plan knows the admission checks. */
  CHECK_KNOWN(Fault.CHECKER_DEAD),
  /** A member that ended with a different exit code than 0 has not finished. */
  EXIT_CODE(Fault.SICK_GPU),
  /** A finished member leaves its gang. */
  EARLY_RELEASE(Fault.SICK_GPU),
  /** The advance reservations of a node are read in the allocation's transaction. */
  BOOKED(Fault.STALE_PLAN),
  /** The scheduler's plan includes advance reservations. */
  BOOKED_KNOWN(Fault.STALE_PLAN),
  /** Supervisors know the advance reservations. */
  BOOKED_LEAVE(Fault.STALE_PLAN),
  /** A report of an attempt is stored for that attempt only. */
  OWN_CHECKPOINT(Fault.DRAIN),
  /** An attempt gets a checkpoint request before it is stopped. */
  ASKED(Fault.DRAIN),
  /** A copy is not cut over when a job wrote to its source since it began. */
  COPY_WRITERS(Fault.LATE_RESULTS),
  /** A copier of a phase that was abandoned ends before the bucket is cleaned. */
  EARLIER_COPIER(Fault.UNSENT),
  /** A copier is submitted in the transaction that stores it with its transfer. */
  COPIER_STORED(Fault.KILLED_BETWEEN),
  /** The new nodes of a job that moves back are reserved with the decision. */
  MOVE_KEPT(Fault.STALE_PLAN),
  /** The scheduler's plan knows the moves of the last hour. */
  MOVES_KNOWN(Fault.STALE_PLAN),
  /** The answer to the key of a retry of a pipeline is stored with its jobs. */
  RETRY_KEY(Fault.DATABASE_AFTER),
  /** An element waits for the element of its index. */
  ELEMENT_EDGE(Fault.DATABASE_AFTER),
  /** A node with a notice is closed. */
  NOTICE_CLOSES(Fault.LATE_RESULTS),
  /** Supervisors know the notices that systems outside the cluster announce. */
  NOTICE_KNOWN(Fault.LATE_RESULTS),
  /** The withdrawal of a notice is stored. */
  NOTICE_WITHDRAWN(Fault.LATE_RESULTS),
  /** A replica counts as ready when a gateway shows it. */
  SERVICE_READY(Fault.CUT),
  /** As SERVICE_READY, for the replicas of a version after the first. */
  SERVICE_READY_EACH(Fault.CUT),
  /** A rollout that waits has the reason of its job. */
  SERVICE_REASON(Fault.CORDON),
  /** A replica counts for the share of its own cluster. */
  SERVICE_PLACE(Fault.CUT),
  /** A plan knows that its rollout is paused. */
  SERVICE_PAUSED(Fault.CORDON),
  /** A service sleeps only by a later count of its gateway. */
  SLEEP_COUNTED(Fault.CUT),
  /** A plan knows that its service is awake. */
  SLEEP_KNOWN(Fault.CUT),
  /** A replica is removed when its job has ended. */
  SLEEP_ENDED(Fault.CUT),
  /** The wake by a waiting request is stored. */
  SLEEP_WOKEN(Fault.CUT),
  /** A suspension reported before a start does not prove the end of an object. */
  KIND_REPORT(Fault.CORDON),
  /** An object has ended only when none of its pods runs. */
  KIND_PODS(Fault.CORDON),
  /** A stop of an attempt in place suspends its object. */
  KIND_STOP(Fault.CORDON),
  /** An object that no longer exists has ended. */
  KIND_GONE(Fault.CORDON),
  /** The last values of series outlive the process that read them. */
  SERIES_STORED(Fault.CRASH),
  /** A GPU without a recent temperature is not judged. */
  SERIES_FRESH(Fault.CORDON),
  /** A GPU that the series of another cluster show has no event. */
  SERIES_CLAIMED(Fault.CORDON),
  /** A GPU in the slices of two nodes gets no jobs. */
  DEVICE_ELSEWHERE(Fault.CORDON),
  /** A generation of slices counts when all of its slices were read. */
  DEVICE_GENERATION(Fault.CORDON),
  /** The allocation of a claim is read. */
  DEVICE_ALLOCATION(Fault.CORDON),
  /** A taint of a driver is a fault of the GPU for its holder. */
  DEVICE_FAULT(Fault.CORDON),
  /** The DeviceTaintRules of a cluster are read again. */
  DEVICE_RULES(Fault.CORDON),
  /** The resources of a member follow its pod to the node that another scheduler chose. */
  BACKEND_FOLLOWED(Fault.CORDON),
  /** The planned node proves nothing about a pod that waits for its node. */
  BACKEND_WAITS(Fault.DEAD_MACHINE),
  /** The spec of a ModelService is applied once for each generation. */
  OBJECT_GENERATION(Fault.CORDON),
  /** A ModelService that its front does not show does not count as deleted. */
  OBJECT_DELETED(Fault.OTHER_SERVER),
  /** A submit takes a member only if no other user has taken it in the meantime. */
  WARM_TAKEN(Fault.DATABASE_AFTER),
  /** A loop cancels a member only if no user has taken it in the meantime. */
  WARM_CANCELLED(Fault.DATABASE_AFTER),
  /** The use of a member ends with its pool, and begins again with its user. */
  TRANSFER(Fault.DATABASE_AFTER);

  /** The event that needs the guard: a control makes it frequent. */
  public final Fault against;

  Guard(Fault against) {
    this.against = against;
  }

  /** Returns whether {@link NoticeArea} has this guard. */
  public boolean ofNotices() {
    return ordinal() >= NOTICE_CLOSES.ordinal() && ordinal() < SERVICE_READY.ordinal();
  }

  /** Returns whether {@link SleepArea} has this guard. */
  public boolean ofSleep() {
    return ordinal() >= SLEEP_COUNTED.ordinal() && ordinal() < KIND_REPORT.ordinal();
  }

  /** Returns whether {@link ServingArea} has this guard, or {@link SleepArea} within it. */
  public boolean ofServices() {
    return ordinal() >= SERVICE_READY.ordinal() && ordinal() < KIND_REPORT.ordinal();
  }

  /** Returns whether {@link InPlaceArea} has this guard. */
  public boolean ofKinds() {
    return ordinal() >= KIND_REPORT.ordinal() && ordinal() < SERIES_STORED.ordinal();
  }

  /** Returns whether {@link SeriesArea} has this guard. */
  public boolean ofSeries() {
    return ordinal() >= SERIES_STORED.ordinal() && ordinal() < DEVICE_ELSEWHERE.ordinal();
  }

  /** Returns whether {@link DeviceArea} has this guard. */
  public boolean ofDevices() {
    return ordinal() >= DEVICE_ELSEWHERE.ordinal() && ordinal() < BACKEND_FOLLOWED.ordinal();
  }

  /** Returns whether {@link BackendArea} has this guard. */
  public boolean ofBackends() {
    return ordinal() >= BACKEND_FOLLOWED.ordinal() && ordinal() < OBJECT_GENERATION.ordinal();
  }

  /** Returns whether {@link FrontObjects} has this guard. */
  public boolean ofObjects() {
    return ordinal() >= OBJECT_GENERATION.ordinal() && !ofWarmPools();
  }

  /** Returns whether {@link WarmArea} has this guard. */
  public boolean ofWarmPools() {
    return ordinal() >= WARM_TAKEN.ordinal();
  }

  public boolean ofAreas() {
    return ordinal() >= BELIEVED.ordinal();
  }
}
