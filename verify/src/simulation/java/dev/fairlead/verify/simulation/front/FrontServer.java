package dev.fairlead.verify.simulation.front;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.ServiceStatus;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.ProcessLife;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The API server of a front cluster, its Jobs, and a backup of its etcd. */
public final class FrontServer {
  private final SortedMap<String, SeenJob> jobs = new TreeMap<>();
  private SortedMap<String, SeenJob> backup = new TreeMap<>();
  private final boolean takenForDeleted;
  private int versions;
  private boolean replaced;

  /**
   * @param takenForDeleted whether its connections show a vanished ModelService as deleted
   */
  FrontServer(boolean takenForDeleted) {
    this.takenForDeleted = takenForDeleted;
  }

  /** A user creates a ModelService, whose spec is its generation. */
  void serve(String uid, String name) {
    store(
        new SeenJob(
            uid,
            "ns",
            SeenJob.MODEL_SERVICE + name,
            "",
            false,
            false,
            false,
            false,
            false,
            FrontStatus.NEW.withService(ServiceStatus.unread(1, "1"))));
  }

  /** A user changes the spec of the ModelService, unless it is deleted. */
  void respec(String uid) {
    SeenJob old = jobs.get(uid);
    ServiceStatus was = old == null || old.deleting() ? null : old.status().service();
    if (was != null) {
      ServiceStatus next =
          new ServiceStatus(
              was.generation() + 1,
              Long.toString(was.generation() + 1),
              was.observed(),
              was.serving(),
              was.conditions());
      store(with(old, false, old.held(), old.status().withService(next)));
    }
  }

  /** All ModelServices, by UID. */
  SortedMap<String, SeenJob> services() {
    SortedMap<String, SeenJob> services = new TreeMap<>(jobs);
    services.values().removeIf(job -> !job.isService());
    return services;
  }

  void create(String uid, String namespace, String name, boolean suspended) {
    store(
        new SeenJob(
            uid, namespace, name, "", false, false, false, suspended, true, FrontStatus.NEW));
  }

  /** A user deletes the Job, which remains while Fairlead's finalizer holds it. */
  void delete(String uid) {
    SeenJob old = jobs.get(uid);
    if (old != null && old.held()) {
      store(with(old, true, true, old.status()));
    } else {
      jobs.remove(uid);
    }
  }

  boolean has(String uid) {
    return jobs.containsKey(uid);
  }

  void backUp() {
    backup = new TreeMap<>(jobs);
  }

  /** UIDs of the objects that a restore of the backup would lose. */
  SortedSet<String> younger() {
    SortedSet<String> lost = new TreeSet<>(jobs.keySet());
    lost.removeAll(backup.keySet());
    return lost;
  }

  void restore() {
    jobs.clear();
    jobs.putAll(backup);
  }

  /**
   * Another server, which has no Jobs, answers under the address of this one, or this one again.
   */
  void replaced(boolean now) {
    replaced = now;
  }

  private SortedMap<String, SeenJob> answering() {
    return replaced ? new TreeMap<>() : jobs;
  }

  private static SeenJob with(SeenJob old, boolean deleting, boolean held, FrontStatus status) {
    return old.with().version("").deleting(deleting).held(held).status(status).build();
  }

  private SeenJob store(SeenJob job) {
    SeenJob next = job.withVersion(Integer.toString(++versions));
    jobs.put(next.uid(), next);
    return next;
  }

  private FrontAnswer change(SeenJob seen, Supplier<SeenJob> next) {
    SeenJob is = answering().get(seen.uid());
    if (is == null) {
      return new FrontAnswer.Gone();
    }
    if (!is.version().equals(seen.version())) {
      return new FrontAnswer.Changed();
    }
    SeenJob now = store(next.get());
    if (now.deleting() && !now.held()) {
      jobs.remove(now.uid());
    }
    return new FrontAnswer.Done(now);
  }

  /** The connection of one process, with its own watch. */
  FrontGateway session(ProcessLife life) {
    return new Session(life);
  }

  private final class Session implements FrontGateway {
    private final ProcessLife life;
    private final SortedMap<String, SeenJob> shown = new TreeMap<>();

    private Session(ProcessLife life) {
      this.life = life;
    }

    @Override
    public void follow(boolean on) {}

    @Override
    public View view() {
      life.check();
      return new View(true, null);
    }

    @Override
    public List<String> changed(int most) {
      SortedMap<String, SeenJob> now = answering();
      SortedSet<String> all = new TreeSet<>(now.keySet());
      all.addAll(shown.keySet());
      List<String> changed =
          all.stream()
              .filter(uid -> !Objects.equals(now.get(uid), shown.get(uid)))
              .limit(most)
              .toList();
      for (String uid : changed) {
        SeenJob before = shown.remove(uid);
        if (takenForDeleted && before != null && before.isService() && !now.containsKey(uid)) {
          shown.put(uid, with(before, true, before.held(), before.status()));
        }
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
      return Optional.ofNullable(shown.get(uid));
    }

    @Override
    public void admit(Collection<String> uids) {}

    private FrontAnswer called(Supplier<FrontAnswer> call) {
      life.step("front");
      if (life.faults().strikes(Fault.UNSENT)) {
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
        SeenJob is = answering().get(uid);
        return is == null
            ? new FrontAnswer.Gone()
            : new FrontAnswer.Read(
                is,
                new FrontRequest.Document(
                    is.isService() ? Long.toString(is.generation()) : is.name()));
      });
    }

    @Override
    public FrontAnswer hold(SeenJob seen) {
      return called(() -> change(seen, () -> with(seen, seen.deleting(), true, seen.status())));
    }

    @Override
    public FrontAnswer show(SeenJob seen, FrontStatus status) {
      return called(() -> change(seen, () -> with(seen, seen.deleting(), seen.held(), status)));
    }

    @Override
    public FrontAnswer release(SeenJob seen) {
      return called(() -> change(seen, () -> with(seen, seen.deleting(), false, seen.status())));
    }
  }
}
