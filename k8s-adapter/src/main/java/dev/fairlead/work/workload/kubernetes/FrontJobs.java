package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.WatchCache;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.front.FrontBound;
import dev.fairlead.work.workload.kubernetes.front.JobForm;
import dev.fairlead.work.workload.kubernetes.front.ServiceForm;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import dev.fairlead.work.workload.kubernetes.front.ShownJobs;
import dev.fairlead.work.workload.kubernetes.front.WorkloadForm;
import dev.fairlead.work.workload.kubernetes.kind.Kind;
import dev.fairlead.work.workload.kubernetes.kind.KindForm;
import dev.fairlead.work.workload.kubernetes.kind.Kinds;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of one Kubernetes cluster with {@code spec.managedBy} set to Fairlead, its Workloads and
 * ModelServices, and its objects of other kinds that are adopted in place.
 */
final class FrontJobs implements FrontGateway, AutoCloseable {
  /** Advice for a missing right. */
  static final String RIGHTS =
      "grant Fairlead's identity the permissions for a front cluster (apply"
          + " deploy/cluster-front.yaml)";

  private final Installation installation;
  private final InPlaceObjects inPlace;
  private final FrontBound bound = new FrontBound();
  private final ShownJobs shown = new ShownJobs(bound);
  private final FrontSource<?> jobs;
  private final FrontSource<?> workloads;
  private final FrontSource<?> services;
  private final List<FrontSource<?>> kinds = new ArrayList<>();
  private volatile boolean followed;

  /**
   * @param opener opens a connection for a watch
   * @param client client for calls. Throws {@link
   *     dev.fairlead.work.workload.kubernetes.call.CallFailure} without a client
   */
  FrontJobs(
      Installation installation,
      Cluster cluster,
      Function<AnswerGuard, KubernetesClient> opener,
      KubernetesSettings settings,
      ClusterCalls calls,
      Supplier<KubernetesClient> client,
      InPlaceObjects inPlace) {
    this.installation = installation;
    this.inPlace = inPlace;
    String label = installation.label();
    WatchCache.Listener<ShownJob> ignored = (before, now) -> {};
    jobs = new FrontSource<>(new JobForm(label), opener, settings, calls, client, shown, ignored);
    workloads =
        new FrontSource<>(
            new WorkloadForm(label, calls), opener, settings, calls, client, shown, ignored);
    services =
        new FrontSource<>(
            new ServiceForm(label, calls), opener, settings, calls, client, shown, ignored);
    kinds.add(workloads);
    kinds.add(services);
    for (Kind kind : Kinds.all()) {
      kinds.add(
          new FrontSource<>(
              new KindForm(kind, label, cluster.name(), cluster.settings().devices(), calls),
              opener,
              settings,
              calls,
              client,
              shown,
              inPlace::changed));
    }
  }

  @Override
  public void admit(Collection<String> uids) {
    shown.admit(uids);
  }

  /** Objects in place are watched until their last attempt has ended. */
  @Override
  public void follow(boolean on) {
    boolean again = on && bound.again();
    if (again) {
      sources().forEach(source -> source.follow(false, false)); // omitted Jobs need a new list
    }
    boolean _ = jobs.follow(on, on);
    boolean watched = on || inPlace.any();
    boolean asked = false;
    for (FrontSource<?> kind : kinds) {
      asked |= kind.follow(kind == workloads || kind == services ? on : watched, !asked);
    }
    followed = watched;
    inPlace.prove();
  }

  private Stream<FrontSource<?>> sources() {
    return Stream.concat(Stream.of(jobs), kinds.stream());
  }

  /** A kind that cannot be read holds up no other kind. */
  @Override
  public View view() {
    String trouble =
        sources()
            .filter(source -> source == jobs || !source.absent())
            .map(this::trouble)
            .filter(Objects::nonNull)
            .findFirst()
            .orElseGet(bound::trouble);
    SortedSet<String> unread = new TreeSet<>();
    kinds.stream()
        .filter(kind -> kind.absent() || !kind.complete())
        .forEach(kind -> unread.add(kind.prefix()));
    return new View(jobs.complete(), trouble, unread);
  }

  private @Nullable String trouble(FrontSource<?> source) {
    String trouble = source.trouble();
    return trouble == null || source.prefix().isEmpty() ? trouble : name(source) + ": " + trouble;
  }

  private String name(FrontSource<?> kind) {
    String name = kind.prefix().substring(0, kind.prefix().length() - 1);
    return Kinds.find(name)
        .map(Kind::text)
        .orElse(kind == services ? ServiceForm.TEXT : WorkloadForm.TEXT);
  }

  /** Kinds that the cluster lacks or forbids Fairlead to read, null if none. */
  @Nullable String absent() {
    String names =
        followed
            ? kinds.stream()
                .filter(FrontSource::absent)
                .map(this::name)
                .collect(Collectors.joining(", "))
            : "";
    return names.isEmpty()
        ? null
        : "not adopted, because the cluster has no custom resource of the kind, or Fairlead may not"
            + " read it: "
            + names;
  }

  @Override
  public List<String> changed(int most) {
    return shown.changed(most);
  }

  @Override
  public List<String> all() {
    return shown.all();
  }

  @Override
  public Optional<SeenJob> job(String uid) {
    return Optional.ofNullable(shown.get(uid)).map(ShownJob::seen);
  }

  private FrontSource<?> source(String name) {
    return kinds.stream().filter(kind -> name.startsWith(kind.prefix())).findFirst().orElse(jobs);
  }

  @Override
  public FrontAnswer read(String namespace, String name, String uid) {
    return source(name).read(namespace, name, uid);
  }

  @Override
  public FrontAnswer hold(SeenJob seen) {
    return finalizers(seen, true);
  }

  @Override
  public FrontAnswer release(SeenJob seen) {
    return finalizers(seen, false);
  }

  private FrontAnswer finalizers(SeenJob seen, boolean on) {
    ShownJob is = shown.get(seen.uid());
    if (is == null || !is.seen().version().equals(seen.version())) {
      return new FrontAnswer.Changed();
    }
    List<String> next = new ArrayList<>(is.finalizers());
    next.remove(ShownJob.FINALIZER);
    if (on) {
      next.add(ShownJob.FINALIZER);
    }
    ObjectNode patch = of(seen);
    ObjectNode metadata = (ObjectNode) patch.get("metadata");
    if (next.isEmpty()) {
      metadata.putNull("finalizers");
    } else {
      ArrayNode list = metadata.putArray("finalizers");
      next.forEach(list::add);
    }
    ObjectNode annotations = metadata.putObject("annotations");
    if (on) {
      annotations.put(ShownJob.INSTALLATION, installation.label());
    } else {
      annotations.putNull(ShownJob.INSTALLATION);
    }
    return source(seen.name()).patch(seen, patch);
  }

  @Override
  public FrontAnswer show(SeenJob seen, FrontStatus status) {
    return source(seen.name()).show(seen, of(seen), status);
  }

  /** Restricts the patch to this Job in this version. */
  private static ObjectNode of(SeenJob seen) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", seen.uid()).put("resourceVersion", seen.version());
    return patch;
  }

  @Override
  public void close() {
    sources().forEach(FrontSource::close);
  }
}
