package dev.fairlead.front.service;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.ServiceStatus;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A front cluster in memory: its Jobs, and the refusals of its API server. */
final class FrontCluster implements FrontGateway {
  /** Of a front whose users serve no models. */
  static final ObjectServices NO_SERVICES =
      new ObjectServices() {
        @Override
        public SortedMap<String, OwnedService> owned(String cluster) {
          return new TreeMap<>();
        }

        @Override
        public Spec read(Actor actor, Project project, String name, String json) {
          throw new IllegalStateException("there are no ModelServices");
        }

        @Override
        public void remove(HeldLease lease, Actor actor, OwnedService service) {
          throw new IllegalStateException("there are no ModelServices");
        }
      };

  private final SortedMap<String, SeenJob> jobs = new TreeMap<>();
  private final SortedMap<String, FrontRequest> requests = new TreeMap<>();
  private final SortedSet<String> changed = new TreeSet<>();
  private int versions;
  private int calls;
  private final SortedSet<String> silent = new TreeSet<>();
  private final SortedSet<String> leftOut = new TreeSet<>();
  private final SortedSet<String> unread = new TreeSet<>();
  private final List<String> writes = new ArrayList<>();
  private @Nullable String fleeting;
  private boolean away;
  private boolean followed;
  private boolean forgetful;
  private int breaksAt = -1;

  /** Thrown by a killed process. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** The call of that number takes effect, and the process dies before its answer. */
  void killsAt(int call) {
    breaksAt = call;
    calls = 0;
  }

  int calls() {
    return calls;
  }

  void noCalls() {
    calls = 0;
  }

  void away(boolean now) {
    away = now;
  }

  /** The API server does not respond for this Job. */
  void silentAbout(String uid) {
    silent.add(uid);
  }

  /** The API server accepts each write of a status without storing it. */
  void storesNoStatus() {
    forgetful = true;
  }

  /** A spec that differs: the status of the earlier one is not read. */
  void correct(String uid) {
    change(uid, job -> with(job, job.deleting(), job.held(), FrontStatus.NEW));
  }

  /** The API server lists no objects of these kinds, as after the removal of their definition. */
  void cannotList(String... prefixes) {
    unread.clear();
    unread.addAll(List.of(prefixes));
  }

  /** The Job is beyond the bound on how many are shown. */
  void leaveOut(String uid) {
    leftOut.add(uid);
  }

  /** Writes of Jobs in their order: the verb and the name of the Job. */
  List<String> writes() {
    return writes;
  }

  boolean followed() {
    return followed;
  }

  void create(String uid, String namespace, String name) {
    create(uid, namespace, name, new FrontRequest.Document("{}"), false);
  }

  void create(String uid, String namespace, String name, FrontRequest request, boolean suspended) {
    requests.put(uid, request);
    store(
        new SeenJob(
            uid, namespace, name, "", false, false, false, suspended, true, FrontStatus.NEW));
  }

  /** A ModelService in team-a, with its first spec. */
  void serve(String uid, String name, String spec) {
    serve(uid, "team-a", name, spec);
  }

  void serve(String uid, String namespace, String name, String spec) {
    requests.put(uid, new FrontRequest.Document(spec));
    store(
        new SeenJob(
            uid,
            namespace,
            SeenJob.MODEL_SERVICE + name,
            "",
            false,
            false,
            false,
            false,
            false,
            FrontStatus.NEW.withService(ServiceStatus.unread(1, spec))));
  }

  /** Another writer removes the status of the ModelService. */
  void forgetsStatus(String uid) {
    change(
        uid,
        old -> {
          ServiceStatus was = Objects.requireNonNull(old.status().service());
          return with(
              old,
              old.deleting(),
              old.held(),
              FrontStatus.NEW.withService(ServiceStatus.unread(was.generation(), was.digest())));
        });
  }

  /** The next generation of its spec. */
  void serve(String uid, String spec) {
    serve(uid, spec, 1);
  }

  /** Another spec of the same generation, as after a restore of etcd and a change. */
  void restore(String uid, String spec) {
    serve(uid, spec, 0);
  }

  private void serve(String uid, String spec, int generations) {
    requests.put(uid, new FrontRequest.Document(spec));
    change(
        uid,
        old -> {
          ServiceStatus was = Objects.requireNonNull(old.status().service());
          return with(
              old,
              old.deleting(),
              old.held(),
              old.status()
                  .withService(
                      new ServiceStatus(
                          was.generation() + generations,
                          spec,
                          was.observed(),
                          was.serving(),
                          was.conditions())));
        });
  }

  void suspend(String uid, boolean now) {
    change(uid, old -> old.with().version("").suspended(now).build());
  }

  void delete(String uid) {
    SeenJob old = jobs.get(uid);
    if (old == null) {
      return;
    }
    if (old.held()) {
      change(uid, job -> with(job, true, true, job.status()));
    } else {
      vanish(uid);
    }
  }

  /** A user removes the finalizer. */
  void losesFinalizer(String uid) {
    change(uid, job -> with(job, job.deleting(), false, job.status()));
  }

  /** A user deletes the object after it was read, and before it gets its finalizer. */
  void vanishesBeforeHold(String uid) {
    fleeting = uid;
  }

  /** Deleted regardless of its finalizers. */
  void vanish(String uid) {
    jobs.remove(uid);
    changed.add(uid);
  }

  FrontStatus status(String uid) {
    return Optional.ofNullable(jobs.get(uid)).map(SeenJob::status).orElse(FrontStatus.NEW);
  }

  boolean held(String uid) {
    return Optional.ofNullable(jobs.get(uid)).map(SeenJob::held).orElse(false);
  }

  boolean has(String uid) {
    return jobs.containsKey(uid);
  }

  private static SeenJob with(SeenJob old, boolean deleting, boolean held, FrontStatus status) {
    return old.with().version("").deleting(deleting).held(held).status(status).build();
  }

  private SeenJob change(String uid, UnaryOperator<SeenJob> change) {
    return store(change.apply(jobs.get(uid)));
  }

  /** A change by Fairlead, which the watch does not report. */
  private SeenJob wrote(String uid, UnaryOperator<SeenJob> change) {
    boolean pending = changed.contains(uid);
    SeenJob next = change(uid, change);
    if (!pending) {
      changed.remove(uid);
    }
    return next;
  }

  private SeenJob store(SeenJob job) {
    versions++;
    SeenJob next = job.withVersion(Integer.toString(versions));
    jobs.put(next.uid(), next);
    changed.add(next.uid());
    return next;
  }

  @Override
  public void follow(boolean on) {
    followed = on;
  }

  @Override
  public View view() {
    return new View(true, null, new TreeSet<>(unread));
  }

  @Override
  public List<String> changed(int most) {
    List<String> some = new ArrayList<>(changed.stream().limit(most).toList());
    some.forEach(changed::remove);
    return some;
  }

  @Override
  public List<String> all() {
    return jobs.keySet().stream().filter(uid -> !leftOut.contains(uid)).toList();
  }

  @Override
  public Optional<SeenJob> job(String uid) {
    return leftOut.contains(uid) ? Optional.empty() : Optional.ofNullable(jobs.get(uid));
  }

  @Override
  public void admit(Collection<String> uids) {
    uids.stream().filter(leftOut::remove).filter(jobs::containsKey).forEach(changed::add);
  }

  private FrontAnswer called(FrontAnswer answer) {
    calls++;
    if (calls == breaksAt) {
      breaksAt = -1;
      throw new Killed();
    }
    return answer;
  }

  @Override
  public FrontAnswer read(String namespace, String name, String uid) {
    SeenJob is = jobs.get(uid);
    FrontRequest request = requests.get(uid);
    if (away || silent.contains(uid)) {
      return called(new FrontAnswer.Away("it is away"));
    }
    return called(
        is == null || request == null ? new FrontAnswer.Gone() : new FrontAnswer.Read(is, request));
  }

  private @Nullable FrontAnswer unlessAsSeen(SeenJob seen) {
    SeenJob is = jobs.get(seen.uid());
    if (away || silent.contains(seen.uid())) {
      return new FrontAnswer.Away("it is away");
    }
    if (is == null) {
      return new FrontAnswer.Gone();
    }
    return is.version().equals(seen.version()) ? null : new FrontAnswer.Changed();
  }

  @Override
  public FrontAnswer hold(SeenJob seen) {
    writes.add("hold " + seen.name());
    if (seen.uid().equals(fleeting)) {
      vanish(seen.uid());
    }
    FrontAnswer not = unlessAsSeen(seen);
    return called(
        not != null
            ? not
            : new FrontAnswer.Done(
                wrote(seen.uid(), old -> with(old, old.deleting(), true, old.status()))));
  }

  @Override
  public FrontAnswer release(SeenJob seen) {
    writes.add("release " + seen.name());
    FrontAnswer not = unlessAsSeen(seen);
    if (not != null) {
      return called(not);
    }
    SeenJob next = wrote(seen.uid(), old -> with(old, old.deleting(), false, old.status()));
    if (next.deleting()) {
      vanish(seen.uid());
    }
    return called(new FrontAnswer.Done(next));
  }

  @Override
  public FrontAnswer show(SeenJob seen, FrontStatus status) {
    writes.add("show " + seen.name());
    FrontAnswer not = unlessAsSeen(seen);
    if (not != null) {
      return called(not);
    }
    String wrong = wrong(seen.status(), status);
    return called(
        wrong != null
            ? new FrontAnswer.Refused(wrong)
            : new FrontAnswer.Done(
                wrote(
                    seen.uid(),
                    old ->
                        with(old, old.deleting(), old.held(), forgetful ? old.status() : status))));
  }

  /** As the Kubernetes 1.36 API server checks the status of Jobs of other controllers. */
  private static @Nullable String wrong(FrontStatus old, FrontStatus next) {
    boolean complete = next.is(FrontCondition.COMPLETE);
    boolean failed = next.is(FrontCondition.FAILED);
    if (complete && (failed || next.is(FrontCondition.FAILURE_TARGET))) {
      return "Complete and Failed";
    }
    if (complete && !next.is(FrontCondition.SUCCESS_CRITERIA_MET)) {
      return "Complete without SuccessCriteriaMet";
    }
    if (failed && !next.is(FrontCondition.FAILURE_TARGET)) {
      return "Failed without FailureTarget";
    }
    if (complete != (next.completionTime() != null)) {
      return "completionTime";
    }
    if ((complete || failed) && (next.active() > 0 || next.startTime() == null)) {
      return "finished with active pods, or not begun";
    }
    if (next.failed() < old.failed() || next.succeeded() < old.succeeded()) {
      return "counts decrease";
    }
    boolean restarted = old.startTime() != null && !old.startTime().equals(next.startTime());
    if (restarted || next.ready() > next.active() || old.finished() && !next.finished()) {
      return "startTime, ready, or no longer finished";
    }
    return null;
  }
}
