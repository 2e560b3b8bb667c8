package dev.fairlead.verify.simulation.front;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.FaultRates;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.kubernetes.InPlaceConnection;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.KindDocument;
import dev.fairlead.work.workload.kubernetes.kind.KindForm;
import dev.fairlead.work.workload.kubernetes.kind.KindObject;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One process's connection to the objects of {@link InPlaceArea}, with network faults. */
public final class InPlaceProcess implements FrontGateway, InPlaceConnection.Server {
  private static final ActionOutcome DONE = new ActionOutcome.Done(Collections.emptySortedSet());

  private final InPlaceServer server;
  private final ProcessLife life;
  private final VirtualTime time;
  private final String cluster;
  private final Installation installation;
  private final BooleanSupplier reached;
  private final Set<Guard> missing;
  private final SortedMap<String, ShownJob> shown = new TreeMap<>();
  private final SortedMap<String, GenericKubernetesResource> last = new TreeMap<>();

  /** Follows the objects for its in-place parts. */
  @Nullable InPlaceConnection connection;

  /**
   * @param reached whether the cluster answers
   */
  InPlaceProcess(
      InPlaceServer server,
      ProcessLife life,
      VirtualTime time,
      String cluster,
      Installation installation,
      BooleanSupplier reached,
      Set<Guard> missing) {
    this.server = server;
    this.life = life;
    this.time = time;
    this.cluster = cluster;
    this.installation = installation;
    this.reached = reached;
    this.missing = missing;
  }

  /** The watches deliver the current state, unless the cluster is cut off. */
  void watch() {
    if (connection != null && reached.getAsBoolean()) {
      connection.anchored(server.anchors());
      SortedMap<String, KindState> states = new TreeMap<>();
      server
          .shown(installation.label())
          .forEach((uid, job) -> states.put(uid, Objects.requireNonNull(job.state())));
      connection.shown(states);
    }
  }

  @Override
  public void follow(boolean on) {
    watch();
    if (connection != null) {
      connection.prove();
    }
  }

  @Override
  public View view() {
    life.check();
    return new View(reached.getAsBoolean(), null);
  }

  @Override
  public List<String> changed(int most) {
    SortedMap<String, ShownJob> now = server.shown(installation.label());
    SortedSet<String> all = new TreeSet<>(now.keySet());
    all.addAll(shown.keySet());
    List<String> changed =
        all.stream()
            .filter(uid -> !Objects.equals(now.get(uid), shown.get(uid)))
            .limit(most)
            .toList();
    for (String uid : changed) {
      shown.remove(uid);
      Optional.ofNullable(now.get(uid)).ifPresent(job -> shown.put(uid, job));
    }
    return changed;
  }

  @Override
  public List<String> all() {
    return List.copyOf(shown.keySet());
  }

  @Override
  public Optional<SeenJob> job(String uid) {
    return Optional.ofNullable(shown.get(uid)).map(ShownJob::seen);
  }

  @Override
  public void admit(Collection<String> uids) {}

  private FrontAnswer called(Supplier<FrontAnswer> call) {
    life.step("front");
    if (!reached.getAsBoolean() || life.faults().strikes(Fault.UNSENT)) {
      return new FrontAnswer.Away("simulated: not sent");
    }
    FrontAnswer answer = call.get();
    life.step("front answers");
    return life.faults().strikes(Fault.LOST_ANSWER)
        ? new FrontAnswer.Away("simulated: answer lost")
        : answer;
  }

  @Override
  public FrontAnswer read(String namespace, String name, String uid) {
    return called(() -> {
      GenericKubernetesResource is = server.object(uid);
      ShownJob job =
          is == null ? null : KindForm.shown(InPlaceServer.KIND, installation.label(), is);
      return is == null || job == null
          ? new FrontAnswer.Gone()
          : new FrontAnswer.Read(
              job.seen(),
              KindDocument.of(
                  InPlaceServer.KIND,
                  KindObject.of(InPlaceServer.KIND, is),
                  cluster,
                  PodDevices.EXTENDED_RESOURCE));
    });
  }

  private FrontAnswer patched(SeenJob seen, ObjectNode patch) {
    patch.withObject("/metadata").put("uid", seen.uid()).put("resourceVersion", seen.version());
    return called(() ->
        switch (server.patch(seen.uid(), patch)) {
          case GONE -> new FrontAnswer.Gone();
          case CHANGED -> new FrontAnswer.Changed();
          case DONE -> {
            ShownJob now = server.shown(installation.label()).get(seen.uid());
            yield now == null ? new FrontAnswer.Done(seen) : new FrontAnswer.Done(now.seen());
          }
        });
  }

  @Override
  public FrontAnswer hold(SeenJob seen) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.withObject("/metadata").putArray("finalizers").add(ShownJob.FINALIZER);
    patch.withObject("/metadata/annotations").put(ShownJob.INSTALLATION, installation.label());
    return patched(seen, patch);
  }

  @Override
  public FrontAnswer show(SeenJob seen, FrontStatus status) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    KindForm.show(patch, status);
    return patched(seen, patch);
  }

  @Override
  public FrontAnswer release(SeenJob seen) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.withObject("/metadata").putNull("finalizers");
    patch.withObject("/metadata/annotations").putNull(ShownJob.INSTALLATION);
    return patched(seen, patch);
  }

  private void asked() {
    life.step("object");
    if (!reached.getAsBoolean() || life.faults().strikes(Fault.UNSENT)) {
      throw CallFailure.notSent("simulated: not sent", new IOException("simulated"));
    }
  }

  /** Without the guard, the last state of a deleted object is returned. */
  @Override
  public @Nullable GenericKubernetesResource read(InPlace object) {
    asked();
    GenericKubernetesResource is = server.object(object.uid());
    if (is != null) {
      last.put(object.uid(), is);
    }
    return missing.contains(Guard.KIND_GONE) ? last.get(object.uid()) : is;
  }

  /** Without the guard, objects are not stopped. */
  @Override
  public ActionOutcome patch(InPlace object, ObjectNode patch) {
    life.step("patch");
    FaultRates faults = life.faults();
    boolean stops = patch.at("/spec/suspend").asBoolean();
    if (stops && missing.contains(Guard.KIND_STOP)) {
      return DONE;
    }
    if (!reached.getAsBoolean() || faults.strikes(Fault.UNSENT)) {
      return new ActionOutcome.Unavailable("simulated: not sent");
    }
    if (faults.strikes(Fault.LATE_EFFECT)) {
      Duration wait = time.between(Duration.ofMillis(10), Duration.ofMinutes(3));
      time.in(wait, "late patch of an object", () -> server.patch(object.uid(), patch));
      return new ActionOutcome.Unavailable("simulated: timed out, lands later");
    }
    InPlaceServer.Written written = server.patch(object.uid(), patch);
    time.say(() -> life.name() + " " + (stops ? "stops " : "starts ") + object + ": " + written);
    life.step("patched");
    return written == InPlaceServer.Written.DONE && !faults.strikes(Fault.LOST_ANSWER)
        ? DONE
        : new ActionOutcome.Unavailable("simulated: " + written);
  }

  /** Without the guard, no pod is checked. */
  @Override
  public boolean runs(InPlace object) {
    asked();
    return !missing.contains(Guard.KIND_PODS) && server.runs(object.attempt());
  }

  @Override
  public ActionOutcome anchor(InPlace object, long epoch) {
    asked();
    long higher = server.anchor(object, epoch);
    life.step("anchored");
    return higher == 0 ? DONE : new ActionOutcome.Deposed(higher);
  }

  @Override
  public ActionOutcome retire(AttemptId attempt) {
    asked();
    time.say(() -> life.name() + " removes the anchor of " + attempt.text());
    server.anchors().remove(attempt);
    return DONE;
  }
}
