package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.attempt.MemberState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * What nodes do with pods. On a silent node nothing is reported: what was due happens when it is
 * back, processes at their own time, orders of the control plane when they arrive.
 */
final class Kubelet {
  private static final String COMPLETED = "Completed";
  private static final String ERROR = "Error";
  private static final String OUT_OF_MEMORY = "OOMKilled";
  private static final String NODE_LOST = "NodeLost";
  private static final String UNKNOWN_END = "ContainerStatusUnknown";
  private static final String DEADLINE = "DeadlineExceeded";
  private static final int KILLED = 137;

  /** From binding until the node looks at a pod; less when the pod starts sooner. */
  private static final Duration ADMISSION = Duration.ofMillis(10);

  /** From a reboot until the node reports the pods that did not survive it. */
  private static final Duration AFTER_REBOOT = Duration.ofSeconds(5);

  /**
   * Where ends are told late: from then until what the pod held is free, as a kubelet needs to take
   * sandbox and devices back.
   */
  private static final Duration CLEARING = Duration.ofMillis(1_200);

  /** Longest time from the end of a process until the node reports it. */
  private Duration late = Duration.ZERO;

  private final Timeline timeline;
  private final Identities identities;
  private final Consumer<SimulatedPod> changed;
  private final Consumer<SimulatedNode> nodeChanged;

  /**
   * @param changed told of every pod that looks different now
   * @param nodeChanged told of every node that does
   */
  Kubelet(
      Timeline timeline,
      Identities identities,
      Consumer<SimulatedPod> changed,
      Consumer<SimulatedNode> nodeChanged) {
    this.timeline = timeline;
    this.identities = identities;
    this.changed = changed;
    this.nodeChanged = nodeChanged;
  }

  void bind(SimulatedPod pod) {
    pod.node.pods.add(pod);
    Duration wait = shorter(ADMISSION, pod.behaviour.startAfter());
    later(pod, timeline.now().plus(wait), at -> admit(pod, at, wait));
    changed.accept(pod);
  }

  private void admit(SimulatedPod pod, Instant at, Duration waited) {
    SimulatedNode.Refusal refusal = pod.node.refusal(pod);
    if (pod.behaviour.outcome() == PodBehaviour.Outcome.REJECT) {
      refusal =
          new SimulatedNode.Refusal(
              "UnexpectedAdmissionError",
              "Pod was rejected: Allocate failed due to simulated device allocation failure");
    }
    if (refusal != null) {
      leave(pod);
      pod.failed(at, refusal.reason(), refusal.message());
      settled(pod);
      return;
    }
    pod.node.take(pod);
    pod.pulling();
    if (pod.behaviour.outcome() == PodBehaviour.Outcome.IMAGE_ERROR) {
      pod.pullFailed("ImagePullBackOff", "simulated image pull error");
    } else {
      later(pod, at.plus(pod.behaviour.startAfter()).minus(waited), start -> start(pod, start));
    }
    changed.accept(pod);
  }

  private void start(SimulatedPod pod, Instant at) {
    pod.running(at);
    PodBehaviour does = pod.behaviour;
    Instant end = at.plus(does.runFor());
    Duration most = does.deadline();
    if (most != null && (endless(does) || !at.plus(most).isAfter(end))) {
      later(pod, at.plus(most), t -> exit(pod, t, KILLED, DEADLINE));
      pod.enforced = true;
      changed.accept(pod);
      return;
    }
    switch (does.outcome()) {
      case SUCCESS -> later(pod, end, t -> exit(pod, t, 0, COMPLETED));
      case FAIL -> later(pod, end, t -> exit(pod, t, does.exitCode(), ERROR));
      case OOM -> later(pod, end, t -> exit(pod, t, KILLED, OUT_OF_MEMORY));
      case NODE_REBOOT -> later(pod, at.plus(does.rebootAfter()), t -> reboot(pod.node));
      case HANG, IMAGE_ERROR, REJECT -> {}
    }
    if (pod.asked != null) {
      save(pod);
    }
    changed.accept(pod);
  }

  private static boolean endless(PodBehaviour does) {
    return does.outcome() == PodBehaviour.Outcome.HANG;
  }

  /** From now on ends are reported up to so much late, each by a time of its own. */
  void reportLate(Duration most) {
    late = most;
  }

  private void exit(SimulatedPod pod, Instant at, int code, String reason) {
    long most = late.toMillis();
    if (most == 0) {
      record(pod, at, code, reason);
      return;
    }
    long drawn = Identities.stable(pod.uid).getLeastSignificantBits();
    Instant told = latest(at.plusMillis(Math.floorMod(drawn, most + 1)), timeline.now());
    pod.processEnded = true;
    later(pod, told, shown -> linger(pod, at, code, reason));
  }

  private void linger(SimulatedPod pod, Instant end, int code, String reason) {
    pod.exited(end, code, reason);
    pod.lingers = true;
    later(pod, timeline.now().plus(CLEARING), at -> cleared(pod));
    changed.accept(pod);
  }

  private void cleared(SimulatedPod pod) {
    pod.lingers = false;
    leave(pod);
    settled(pod);
  }

  private void record(SimulatedPod pod, Instant end, int code, String reason) {
    leave(pod);
    pod.exited(end, code, reason);
    settled(pod);
  }

  /** Its process ends by itself, as far as it runs. */
  void fail(SimulatedPod pod, int code) {
    if (pod.state() == MemberState.RUNNING && !pod.processEnded) {
      timeline.cancel(pod.next);
      exit(pod, timeline.now(), code, ERROR);
    }
  }

  /**
   * Tells the program of a pod to save its work. One that knows the word ends by itself when it
   * has; for others it is a file that they do not read.
   */
  void ask(SimulatedPod pod, Instant until) {
    if (!pod.open() || pod.grace != null) {
      return;
    }
    boolean first = pod.asked == null;
    pod.asked = until;
    if (first && pod.node.answers()) {
      save(pod);
    }
  }

  private void save(SimulatedPod pod) {
    Duration takes = pod.behaviour.checkpointAfter();
    Timeline.Entry due = pod.next;
    boolean runs = pod.state() == MemberState.RUNNING && !pod.processEnded;
    if (takes == null || !runs || pod.enforced) {
      return;
    }
    Instant saved = timeline.now().plus(takes);
    if (due == null || due.at().isAfter(saved)) {
      timeline.cancel(due);
      later(pod, saved, at -> exit(pod, at, 0, COMPLETED));
    }
  }

  /** Asks a pod to end. Repeated, the shortest grace period counts. */
  void delete(SimulatedPod pod, Duration grace) {
    Duration before = pod.grace;
    if (before != null && before.compareTo(grace) <= 0) {
      return;
    }
    pod.grace = grace;
    changed.accept(pod);
    if (pod.open() && pod.node.answers()) {
      terminate(pod, grace);
    }
  }

  /** Leaves nothing of a pod; on a silent node its object stays until the node confirms. */
  void remove(SimulatedPod pod) {
    if (pod.open() && pod.lostAt == null && !pod.node.answers() && !pod.node.gone()) {
      pod.released = true;
      delete(pod, Duration.ZERO);
      return;
    }
    if (pod.open() || pod.lingers) {
      leave(pod);
    }
    pod.released = true;
    settled(pod);
  }

  private void terminate(SimulatedPod pod, Duration grace) {
    if (pod.lostAt != null || pod.processEnded) {
      return;
    }
    Instant asked = pod.terminatedAt == null ? timeline.now() : pod.terminatedAt;
    pod.terminatedAt = asked;
    timeline.cancel(pod.next);
    if (pod.state() != MemberState.RUNNING) {
      leave(pod);
      pod.failed(asked, null, null);
      settled(pod);
      return;
    }
    Duration stop = pod.behaviour.stopAfter();
    boolean killed = !stop.isZero() && stop.compareTo(grace) >= 0;
    int code = killed ? KILLED : pod.behaviour.stopExitCode();
    Instant end = latest(asked.plus(killed ? grace : stop), timeline.now());
    later(pod, end, at -> exit(pod, at, code, code == 0 ? COMPLETED : ERROR));
    pod.enforced = killed;
  }

  /** Its kubelet falls silent; its processes go on. */
  void lose(SimulatedNode node) {
    node.silent(true);
    touched(node);
  }

  /** Its kubelet dies: processes go on, beyond deadlines and grace periods, and nothing starts. */
  void kill(SimulatedNode node) {
    node.killKubelet();
    for (SimulatedPod pod : node.pods) {
      pod.beginsAnew |= pod.startedAt() == null;
    }
    touched(node);
  }

  /**
   * Power loss without a new boot id, as of a machine that was restored: its processes are dead,
   * and its kubelet knows nothing of them when it is back.
   */
  void crash(SimulatedNode node) {
    node.silent(true);
    for (SimulatedPod pod : node.pods) {
      if (pod.startedAt() != null) {
        perish(pod);
      } else {
        pod.beginsAnew = true;
      }
    }
    touched(node);
  }

  /** The machine is confirmed gone and everything on it dead. */
  void destroy(SimulatedNode node) {
    node.gone(true);
    node.pods.forEach(this::perish);
    touched(node);
  }

  /** A silent kubelet answers again; a machine that was gone boots anew. */
  void comeBack(SimulatedNode node) {
    if (node.answers()) {
      return;
    }
    if (node.gone()) {
      reboot(node);
      return;
    }
    node.silent(false);
    List<SimulatedPod> waiting = new ArrayList<>(node.pods);
    waiting.removeIf(pod -> pod.missed == null);
    waiting.sort(Comparator.comparing(Kubelet::missedAt));
    waiting.forEach(this::catchUp);
    for (SimulatedPod pod : List.copyOf(node.pods)) {
      pod.beginsAnew = false;
      if (pod.lostAt != null) {
        reportLost(pod);
      } else if (pod.grace != null && pod.open()) {
        terminate(pod, pod.grace);
      } else if (pod.asked != null && pod.open()) {
        save(pod);
      }
    }
    touched(node);
  }

  /**
   * Its pods die without a result; seconds later the node says so of those that are still there.
   */
  void reboot(SimulatedNode node) {
    node.booted(identities.next());
    for (SimulatedPod pod : node.pods) {
      perish(pod);
      later(pod, timeline.now().plus(AFTER_REBOOT), at -> reportLost(pod));
    }
    touched(node);
  }

  private void perish(SimulatedPod pod) {
    timeline.cancel(pod.next);
    pod.next = null;
    pod.missed = null;
    pod.lostAt = pod.lostAt == null ? timeline.now() : pod.lostAt;
    pod.node.release(pod);
  }

  /** What a kubelet makes up of a container that it does not find any more: no time, and 137. */
  private void reportLost(SimulatedPod pod) {
    leave(pod);
    if (pod.lingers) {
      pod.lingers = false;
    } else if (pod.startedAt() != null) {
      pod.exited(null, KILLED, UNKNOWN_END);
    } else {
      pod.failed(pod.lostAt == null ? timeline.now() : pod.lostAt, NODE_LOST, "its node rebooted");
    }
    settled(pod);
  }

  /** Runs an event of the pod when its time has come and its node answers. */
  private void later(SimulatedPod pod, Instant when, Timeline.Event event) {
    pod.enforced = false;
    pod.next =
        timeline.plan(
            when,
            at -> {
              pod.next = null;
              if (pod.node.answers()) {
                event.happen(at);
              } else {
                boolean undone = pod.enforced && pod.node.kubeletDead();
                pod.missed = new SimulatedPod.Missed(at, event, undone);
              }
            });
  }

  /**
   * A pod that the node has not heard of yet begins now, and what a dead kubelet left undone is
   * done now; what began goes on at its own time.
   */
  private void catchUp(SimulatedPod pod) {
    SimulatedPod.Missed missed = pod.missed;
    pod.missed = null;
    if (missed != null) {
      boolean now = pod.state() == MemberState.PENDING || pod.beginsAnew || missed.undone();
      missed.event().happen(now ? timeline.now() : missed.at());
    }
  }

  /** Off its node: nothing of it is due any more and what it held is free. */
  private void leave(SimulatedPod pod) {
    timeline.cancel(pod.next);
    pod.next = null;
    pod.missed = null;
    pod.node.release(pod);
    pod.node.pods.remove(pod);
  }

  private void settled(SimulatedPod pod) {
    if (pod.released) {
      pod.workload.pods.remove(pod.key);
    }
    changed.accept(pod);
  }

  /** With a node, its pods look different too, as their conditions do on a real cluster. */
  private void touched(SimulatedNode node) {
    node.pods.forEach(changed);
    nodeChanged.accept(node);
  }

  private static Instant missedAt(SimulatedPod pod) {
    return pod.missed == null ? Instant.MAX : pod.missed.at();
  }

  private static Instant latest(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
