package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.attempt.member.MemberState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The nodes' handling of pods. A silent node reports nothing until it returns. Then due events
 * happen, process events at their own time, and orders of the control plane when they arrive.
 */
final class Kubelet {
  private static final String COMPLETED = "Completed";
  private static final String ERROR = "Error";
  private static final String OUT_OF_MEMORY = "OOMKilled";
  private static final String NODE_LOST = "NodeLost";
  private static final String UNKNOWN_END = "ContainerStatusUnknown";
  private static final String DEADLINE = "DeadlineExceeded";
  private static final int KILLED = 137;

  /**
   * Delay between the binding of a pod and its read by the node. Less when the pod starts sooner.
   */
  private static final Duration ADMISSION = Duration.ofMillis(10);

  /** Time from a reboot until the node reports the killed pods. */
  private static final Duration AFTER_REBOOT = Duration.ofSeconds(5);

  /**
   * With late reports: from the report of an end until the pod's resources are free, because a
   * kubelet needs time to remove sandbox and devices.
   */
  private static final Duration CLEARING = Duration.ofMillis(1_200);

  /** Maximum time from the end of a process until the node reports it. */
  private Duration late = Duration.ZERO;

  private final Timeline timeline;
  private final Identities identities;
  private final Consumer<SimulatedPod> changed;
  private final Consumer<SimulatedNode> nodeChanged;

  /**
   * @param changed gets every pod that looks different now
   * @param nodeChanged gets every node that looks different now
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

  /** Reports a pod that waits for its node. */
  void changed(SimulatedPod pod) {
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

  /** Delays reports of ends from now on, each by a random time up to this limit. */
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

  /** Ends the process of the pod with this code, if it runs. */
  void fail(SimulatedPod pod, int code) {
    if (pod.state() == MemberState.RUNNING && !pod.processEnded) {
      timeline.cancel(pod.next);
      exit(pod, timeline.now(), code, ERROR);
    }
  }

  /**
   * Requests a checkpoint from the program of a pod. A program that supports it ends after it has
   * saved its work. Other programs do not read the file.
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

  /** Deletes a pod. For repeated deletions the shortest grace period counts. */
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

  /** Removes all objects of a pod. On a silent node its object remains until the node confirms. */
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

  /** Silences the kubelet. Processes continue. */
  void lose(SimulatedNode node) {
    node.silent(true);
    touched(node);
  }

  /**
   * Kills the kubelet: processes continue beyond deadlines and grace periods, and nothing starts.
   */
  void kill(SimulatedNode node) {
    node.killKubelet();
    for (SimulatedPod pod : node.pods) {
      pod.beginsAnew |= pod.startedAt() == null;
    }
    touched(node);
  }

  /**
   * Cuts the power without a new boot id, as of a restored machine: its processes are dead, and its
   * kubelet does not know them when it returns.
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

  /** Confirms that the machine was lost and all its processes are dead. */
  void destroy(SimulatedNode node) {
    node.gone(true);
    node.pods.forEach(this::perish);
    touched(node);
  }

  /** Returns a node: a silent kubelet answers again, and a removed machine boots again. */
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
   * Reboots the node: its pods die without a result, and seconds later the node reports the
   * existing ones.
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

  /**
   * Reports the result that a kubelet invents for a missing container: exit code 137 without a
   * time.
   */
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

  /** Runs an event of the pod at its time, if its node answers. */
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
   * Starts a pod that the node has not read yet, and executes orders that a dead kubelet left
   * undone. Events of started pods happen at their own time.
   */
  private void catchUp(SimulatedPod pod) {
    SimulatedPod.Missed missed = pod.missed;
    pod.missed = null;
    if (missed != null) {
      boolean now = pod.state() == MemberState.PENDING || pod.beginsAnew || missed.undone();
      missed.event().happen(now ? timeline.now() : missed.at());
    }
  }

  /** Removes the pod from its node: cancels its events and frees its resources. */
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

  /** Reports a changed node. Its pods change too, like their conditions on a real cluster. */
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
