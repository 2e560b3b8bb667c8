package dev.fairlead.verify.simulation.world;

/** Invariants after every event, and at the end of a run. */
public enum Invariant {
  ONE_LIVE_ATTEMPT,
  ONE_RUNNING_POD_SET,
  /** An ended attempt has no process: its death was proven. */
  DEAD_IS_DEAD,
  NODE_NOT_OVER_ALLOCATED,
  /** A quarantined node gets no member, and its quarantine ends or is held by an operator. */
  QUARANTINE_HOLDS,
  /** A quarantined GPU gets no member, while the other GPUs of its node may. */
  QUARANTINED_GPU_IS_IDLE,
  COUNTERS_EQUAL_ROWS,
  QUOTA_NOT_EXCEEDED,
  GANG_WHOLE_OR_NOT,
  /** A running gang is never ordered to shrink below the minimum of its job. */
  GANG_NEVER_TOO_SMALL,
  /** No job takes a place that others left for a job, not even they themselves. */
  RESERVED_PLACE_IS_KEPT,
  /** A reservation after a fault is used or released: with faults off, none remains. */
  FAULT_RESERVATION_ENDS,
  VICTIMS_ARE_PREEMPTIBLE,
  /** An attempt that was preempted spends no retry budget. */
  PREEMPTION_COSTS_NOTHING,
  TERMINAL_IS_FINAL,
  /** Work that finished before its first pod was deleted is not repeated. */
  SUCCESS_STANDS,
  ACCEPTED_JOB_EXISTS,
  ONE_KEY_ONE_JOB,
  EVENTS_WITHOUT_GAP,
  NOTHING_FOREIGN_DELETED,
  NO_DEPOSED_WRITER,
  LOOP_DOES_NOT_THROW,
  /** The usage of a closed hour equals the time that attempts held GPUs in it. */
  USAGE_EQUALS_HELD,
  /** No job is cancelled because a front cluster forgot its Job. */
  FORGOTTEN_JOB_RUNS,
  /** The job of a Job belongs to the project of its namespace. Without one, the Job has no job. */
  JOB_OF_ITS_NAMESPACE,
  /** The service of a ModelService that its front no longer shows continues. */
  FORGOTTEN_SERVICE_RUNS,
  /**
   * A volume is lost only while its claim is not shown, and not before five minutes of that. While
   * many claims are not shown together, none is lost.
   */
  VOLUME_IS_NOT_LOST,
  /** A job finds all that finished jobs wrote to the volume of that name, also after a cut-over. */
  COPY_HAS_ALL_DATA,
  /** A transfer has one copier at a time, and none after its end. */
  ONE_COPIER,
  /** A job moves back only from paid capacity, and only to reserved nodes held for it. */
  MOVE_BACK_IS_RESERVED,
  /** A queue does not exceed its policy's hourly number of move-backs. */
  MOVES_ARE_LIMITED,
  /** Only an attempt reports its checkpoints, and a report that was answered is not forgotten. */
  CHECKPOINT_IS_ITS_OWN,
  /** No stop is sent to an attempt that may still save its work. */
  CHECKPOINT_IS_AWAITED,
  /** No log is removed while another database uses the log store. */
  REMOVED_WITH_PROOF,
  /** A copy of the database sends no commands to clusters, and does not lose volumes. */
  COPY_SENDS_NO_ORDER,
  /** A hard budget is passed only by attempts that run, never by a start. */
  BUDGET_IS_NOT_PASSED,
  /** A member of a gang of fixed size releases its resources only after it has finished. */
  RELEASED_MEMBER_FINISHED,
  /** With faults off, a finished member releases its resources before the others end. */
  FINISHED_MEMBER_RELEASES,
  /** Nothing starts on a node that an advance reservation closes, and evicted jobs leave it. */
  RESERVED_NODE_TAKES_NOTHING,
  /** No start exceeds the total of a licence. */
  LICENCES_SUFFICE,
  /** Nothing starts while an admission check of its queue is not READY for its attempt and spec. */
  STARTS_ARE_CHECKED,
  /** Nothing starts in a closed window, and with faults off its jobs leave when it closes. */
  WINDOW_IS_LEFT,
  /** Nothing starts on a machine with an announced end. */
  NOTICED_NODE_TAKES_NOTHING,
  /** With faults off, jobs are asked to leave a machine before the deadline of its notice. */
  NOTICE_IS_HEEDED,
  /** The notice of a machine ends when it is withdrawn, or with the machine. */
  NOTICE_ENDS,
  /** Weights of a service are 100 together, and no version without a ready replica has one. */
  SERVICE_WEIGHTS,
  /**
   * Shares of clusters are 100 together, and no cluster without a ready replica of a version with
   * traffic has one.
   */
  SERVICE_SHARES,
  /** No rollout and no lower load stops a ready replica that the floor needs. */
  SERVICE_FLOOR,
  /** No plan undoes an order of a user, and a rollback restores the weights. */
  SERVICE_ORDER_REMAINS,
  /** With faults off, a rollout moves or states why its replicas wait. */
  SERVICE_ROLLOUT_MOVES,
  /** A paused rollout gets no other step, and is not promoted without a command. */
  SERVICE_PAUSE_HOLDS,
  /** A service sleeps only after a count without requests that is later than its last use. */
  SLEEP_HAS_EVIDENCE,
  /** A replica of a service that sleeps is not forgotten before its job has ended. */
  REPLICA_ENDS_FIRST,
  /** With faults off, a request that waits at the gate gets a replica that has quota and room. */
  WAITING_REQUEST_WAKES,
  /** No pod of an object in place runs on a node without a reservation of its attempt. */
  OBJECT_HAS_RESERVATION,
  /** With faults off, the reservation of an object ends with it. */
  RESERVATION_HAS_OBJECT,
  /** With faults off, a stop of an attempt in place suspends its object. */
  STOP_REACHES_OBJECT,
  /** A fault in the series of an exporter has an event, with faults off within three minutes. */
  FAULT_IS_REPORTED,
  /** No restart of an exporter or a process reports a fault in its series again. */
  FAULT_IS_REPORTED_ONCE,
  /** A GPU without a known machine, or of two machines or clusters, has no event. */
  FOREIGN_GPU_IS_IGNORED,
  /** No GPU has two holders, also if the slices of two nodes have it. */
  GPU_HELD_ONCE,
  /**
   * A node retains its GPUs while its driver replaces the slices, and has all its GPUs at the end.
   */
  PUBLISHED_GPU_REMAINS,
  /** With faults off, the GPUs of a member are not enforced if other GPUs were allocated. */
  IDENTITY_IS_PROVEN,
  /** With faults off, a GPU with a taint of its driver is failed, and no other GPU of its node. */
  SICK_GPU_COSTS_ONE,
  /** With faults off, an attempt leaves a GPU that its driver taints. */
  FAULTY_GPU_MOVES,
  /** With faults off, the devices of quarantined GPUs have a taint of Fairlead, and no others. */
  QUARANTINED_GPU_IS_TAINTED,
  /** With faults off, the ledger has each member on the node that another scheduler chose. */
  LEDGER_FOLLOWS_POD,
  /** A member of a warm pool becomes the session of one user, and never a member again. */
  SESSION_HAS_ONE_USER,
  /** A session that a user has taken continues when its pool shrinks or is deleted. */
  SESSION_OUTLIVES_POOL,
  /** A Ray cluster has at most as many drivers as its pool allows, and no driver has none. */
  RAY_CLUSTER_HAS_ROOM,
  /** With faults off, no driver runs for ten minutes after its Ray cluster has ended. */
  RAY_DRIVER_HAS_CLUSTER,
  /** The GPUs of a member count for its pool until a user takes it, and then for the user. */
  USE_HAS_ITS_USER,
  /** A retry of a pipeline submits each job of the failed part once, and no other. */
  RETRY_SUBMITS_ONCE,
  /** An element runs only after the element of its index, and ends with its own dependency only. */
  ELEMENT_FOLLOWS_ITS_OWN,
  /** With faults off, the job of a Job that its user deleted ends. */
  DELETED_JOB_ENDS,
  /** Each ModelService has a service with its current spec, until it is deleted. */
  OBJECT_IS_SERVED,
  /** With faults off, every job ends or is held for a stated reason. */
  EVERY_JOB_ENDS,
  /** With faults off, nothing of ours stays on a cluster or in a counter. */
  NOTHING_IS_LEFT
}
