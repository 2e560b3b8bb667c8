package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.call.BoundedLru;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.OptionalWatches;
import dev.fairlead.work.workload.kubernetes.call.PageSize;
import dev.fairlead.work.workload.kubernetes.call.WatchCache;
import dev.fairlead.work.workload.kubernetes.dra.DeviceTaints;
import dev.fairlead.work.workload.kubernetes.dra.SeenClaim;
import dev.fairlead.work.workload.kubernetes.dra.SeenSlice;
import dev.fairlead.work.workload.kubernetes.dra.SliceInventory;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.KindObject;
import dev.fairlead.work.workload.kubernetes.kind.ObjectPod;
import dev.fairlead.work.workload.kubernetes.kind.ReservedPods;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.node.Inventory;
import dev.fairlead.work.workload.kubernetes.node.NodeAmounts;
import dev.fairlead.work.workload.kubernetes.node.NodeReports;
import dev.fairlead.work.workload.kubernetes.pod.KueueAnswers;
import dev.fairlead.work.workload.kubernetes.pod.OwnPod;
import dev.fairlead.work.workload.kubernetes.pod.VanishedPod;
import dev.fairlead.work.workload.kubernetes.route.ReplicaPods;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The observed state of a cluster, from four watches: pods of Fairlead, anchors, nodes, and the
 * requests of all other pods. If pods claim their GPUs, ResourceSlices and ResourceClaims are
 * watched too. It outlives connections, and {@link #watch} fills it from a new one.
 */
final class ClusterView {
  /** Kubernetes itself supports 5,000 nodes and 150,000 pods. */
  private static final int MOST_NODES = 20_000;

  private static final int MOST_PODS = 200_000;
  private static final int MOST_RELEASED = 50_000;
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");
  private final Installation installation;
  private final Runnable changed;
  private final Inventory inventory;
  private final WorkloadIndex workloads = new WorkloadIndex(System.currentTimeMillis());
  private final InPlaceIndex inPlace =
      new InPlaceIndex(workloads, InstantSource.system(), this::counted);
  private final ReservedPods reserved;
  private final @Nullable SliceInventory published;
  private final @Nullable ClaimedGpus claimed;
  private final KueueAnswers kueue = new KueueAnswers(System::nanoTime, this::answered);
  private final VanishedPods vanished;
  private final BoundedLru<String, Boolean> released = new BoundedLru<>(MOST_RELEASED);
  private final ReplicaPods replicas = new ReplicaPods();
  private final PageSize page = new PageSize();
  private final OptionalWatches optional = new OptionalWatches(System::nanoTime);
  private volatile boolean devicesShown;
  private final WatchCache<Pod, Labelled> labelledPods;
  private final WatchCache<ConfigMap, Anchor> anchors;
  private final WatchCache<Node, NodeReport> nodes;
  private final WatchCache<Pod, ReservedPods.Seen> foreignPods;

  /** The anchor of an attempt, with the user's object if the attempt runs in its pods. */
  private record Anchor(AttemptId attempt, @Nullable InPlace object) {}

  /** A pod with Fairlead's labels, either Fairlead's or a foreign pod with copied labels. */
  private record Labelled(@Nullable OwnPod own, ReservedPods.@Nullable Seen foreign) {
    static final Labelled NOTHING = new Labelled(null, null);
  }

  /**
   * @param vanished looks up pods of Fairlead that the watches no longer show
   * @param devices form of requests for GPUs
   * @param changed called after each change
   */
  ClusterView(
      Installation installation,
      NodeReports reports,
      VanishedPods vanished,
      PodDevices devices,
      Runnable changed) {
    this.installation = installation;
    published = devices.claims() ? new SliceInventory(devices) : null;
    inventory = new Inventory(published);
    reserved = new ReservedPods(inPlace::find, inventory);
    claimed = published == null ? null : new ClaimedGpus(published, devices);
    this.vanished = vanished;
    this.changed = changed;
    labelledPods =
        new WatchCache<>(
            MOST_PODS,
            Pod::new,
            ClusterView::labelled,
            (before, now) -> runIf(labelled(before, now), changed));
    anchors =
        new WatchCache<>(
            MOST_PODS,
            ConfigMap::new,
            ClusterView::anchor,
            (before, now) -> runIf(anchor(before, now), changed));
    nodes =
        new WatchCache<>(
            MOST_NODES,
            Node::new,
            reports::of,
            (before, now) -> runIf(inventory.node(before, now), changed));
    foreignPods =
        new WatchCache<>(
            MOST_PODS,
            Pod::new,
            ClusterView::foreign,
            (before, now) -> runIf(foreign(before, now), changed));
  }

  Inventory inventory() {
    return inventory;
  }

  /** Returns whether pods of Fairlead claim their GPUs. */
  boolean claimsGpus() {
    return claimed != null;
  }

  /** Notifies waiting callers that the cluster is visible again. */
  void returned() {
    changed.run();
  }

  WorkloadIndex workloads() {
    return workloads;
  }

  /** Attempts with the pods of objects of users. */
  InPlaceIndex inPlace() {
    return inPlace;
  }

  /** Pods of replicas of model services. */
  ReplicaPods replicas() {
    return replicas;
  }

  /** Looks up a pod that no watch shows and that may have lost its labels. */
  void missed(VanishedPod pod) {
    OptionalLong leave = workloads.missed(pod.attempt(), pod.key());
    if (leave.isPresent()) {
      vanished.look(pod, asker(pod, leave.getAsLong()));
    }
  }

  /** Records that the pod's result is stored and that Fairlead is about to remove the pod. */
  void released(String uid) {
    released.put(uid, true);
  }

  /** Returns the attempts that changed since the revision, as {@link WorkloadIndex#since} does. */
  WorkloadView since(long revision) {
    kueue.look();
    return workloads.since(revision);
  }

  /**
   * Starts the watches. Each one reconnects until it is closed.
   *
   * @param failed called whenever a list or a watch failed and will be retried
   */
  List<SharedIndexInformer<?>> watch(KubernetesClient client, Consumer<Throwable> failed) {
    vanished.through(client);
    kueue.through(client);
    String ours = installation.label();
    List<SharedIndexInformer<?>> informers = new ArrayList<>();
    informers.add(
        start(
            client.pods().inAnyNamespace().withLabel(ObjectLabels.INSTALLATION, ours),
            labelledPods,
            failed));
    informers.add(
        start(
            client
                .configMaps()
                .inAnyNamespace()
                .withLabel(ObjectLabels.INSTALLATION, ours)
                .withLabel(ObjectLabels.ATTEMPT),
            anchors,
            failed));
    informers.add(start(client.nodes(), nodes, failed));
    informers.add(
        start(
            client
                .pods()
                .inAnyNamespace()
                .withLabelNotIn(ObjectLabels.INSTALLATION, ours)
                .withoutField("spec.nodeName", "")
                .withoutField("status.phase", "Succeeded")
                .withoutField("status.phase", "Failed"),
            foreignPods,
            failed));
    if (claimed != null) {
      String driver = claimed.form.requiredDriver();
      informers.add(
          start(
              client.resources(ResourceSlice.class).withField("spec.driver", driver),
              claimed.slices,
              optional(ResourceSlice.class, failed)));
      informers.add(
          start(
              client.resources(ResourceClaim.class).inAnyNamespace(),
              claimed.claims,
              optional(ResourceClaim.class, failed)));
    }
    return informers;
  }

  private Consumer<Throwable> optional(Class<?> kind, Consumer<Throwable> failed) {
    return error -> {
      optional.failed(kind, error);
      if (!optional.refused(kind)) {
        failed.accept(error);
      }
    };
  }

  /** Returns whether the cluster refuses a watch that its connection can lack. */
  boolean refuses(SharedIndexInformer<?> watch) {
    return optional.refused(watch.getApiTypeClass());
  }

  /** Writer of taints of GPUs, null if pods claim no GPUs. */
  @Nullable DeviceTaints deviceTaints() {
    return claimed == null ? null : claimed.taints;
  }

  /**
   * Returns the features of the cluster with the reasons why its GPUs cannot be seen or tainted.
   */
  ClusterOfferings.Findings with(ClusterOfferings.Findings found) {
    String why = optional.trouble();
    ClusterOfferings.Findings seen = why == null ? found : found.withoutDra(why);
    String untainted = claimed == null ? null : claimed.taints.trouble();
    return untainted == null ? seen : seen.withoutTaints(untainted);
  }

  /** Reads objects that are not watched, if it is time to. */
  void refresh(KubernetesClient client, ClusterCalls calls) {
    if (claimed != null) {
      claimed.taints.refresh(client, calls);
    }
  }

  /**
   * Returns whether the cluster's watches do not open because a list was too long. The next lists
   * then request fewer objects.
   */
  boolean tooLarge(@Nullable Throwable failed) {
    return page.tooLarge(failed);
  }

  /** Records the longest answer of a connection on which all lists were read. */
  void read(long longest) {
    page.read(longest);
  }

  private <T extends HasMetadata> SharedIndexInformer<T> start(
      Informable<T> resources, WatchCache<T, ?> cache, Consumer<Throwable> failed) {
    SharedIndexInformer<T> informer =
        resources
            .withLimit(page.now())
            .runnableInformer(0)
            .itemStore(cache)
            .exceptionHandler((started, error) -> {
              failed.accept(error);
              return true;
            });
    informer.start();
    return informer;
  }

  private boolean labelled(@Nullable Labelled before, @Nullable Labelled now) {
    Labelled was = before == null ? Labelled.NOTHING : before;
    Labelled is = now == null ? Labelled.NOTHING : now;
    boolean member = ownPod(was.own(), is.own());
    return foreign(was.foreign(), is.foreign()) || member;
  }

  private void counted(AttemptId attempt) {
    boolean use = reserved.counted(attempt);
    runIf(inPlace.pods(attempt, reserved.of(attempt)) || use, changed);
  }

  /** Returns whether the status of a pod has named its GPUs since this process began. */
  boolean showsDevices() {
    return devicesShown;
  }

  private boolean ownPod(@Nullable OwnPod before, @Nullable OwnPod now) {
    if (now != null && !now.member().devices().isEmpty()) {
      devicesShown = true;
    }
    replicas.changed(before == null ? null : before.replica(), now == null ? null : now.replica());
    boolean left = before != null && !before.same(now) && left(before);
    boolean shown =
        now != null
            && workloads.member(
                now.attempt(),
                now.member().key(),
                Optional.of(explained(now.attempt(), now.namespace(), now.member())));
    return left || shown;
  }

  private void answered(AttemptId attempt) {
    Collection<ObservedMember> members = workloads.workload(attempt).members().values();
    if (members.isEmpty()) {
      kueue.forget(attempt);
    }
    boolean told = false;
    for (ObservedMember member : members) {
      told |= workloads.explained(attempt, member, explained(attempt, null, member));
    }
    runIf(told, changed);
  }

  /** The member with facts from objects other than its pod. */
  private ObservedMember explained(
      AttemptId attempt, @Nullable String namespace, ObservedMember member) {
    ObservedMember answered = kueue.with(attempt, namespace, member);
    return published == null ? answered : published.with(attempt, answered);
  }

  /** Watches of the objects of dynamic resource allocation. */
  private final class ClaimedGpus {
    private final PodDevices form;
    private final WatchCache<ResourceSlice, SeenSlice> slices;
    private final WatchCache<ResourceClaim, SeenClaim> claims;
    private final DeviceTaints taints;

    private ClaimedGpus(SliceInventory gpus, PodDevices form) {
      this.form = form;
      String driver = form.requiredDriver();
      slices =
          new WatchCache<>(
              MOST_NODES,
              ResourceSlice::new,
              slice -> SeenSlice.of(slice, form),
              (before, now) -> concerns(gpus.slice(before, now)));
      claims =
          new WatchCache<>(
              MOST_PODS,
              ResourceClaim::new,
              claim -> SeenClaim.of(claim, driver, installation.label()),
              (before, now) -> concerns(gpus.claim(before, now)));
      taints =
          new DeviceTaints(
              installation,
              driver,
              gpus,
              node -> inventory.find(node).filter(its -> !its.machineGone()).isPresent(),
              this::concerns,
              System::nanoTime);
    }

    private void concerns(SliceInventory.Change change) {
      inventory.regarding(change.nodes());
      boolean told = !change.nodes().isEmpty();
      for (SeenClaim.Owner owner : change.members()) {
        ObservedMember read = workloads.workload(owner.attempt()).member(owner.key()).orElse(null);
        told |=
            read != null
                && workloads.explained(
                    owner.attempt(), read, explained(owner.attempt(), null, read));
      }
      runIf(told, changed);
    }
  }

  /** A pod that may only have lost its labels counts as seen until it was looked up. */
  private boolean left(OwnPod pod) {
    if (released.get(pod.member().uid()) != null) {
      return workloads.member(pod.attempt(), pod.member().key(), Optional.empty());
    }
    long leave = workloads.left(pod.attempt(), pod.member().key());
    VanishedPod left = pod.vanished();
    vanished.look(left, asker(left, leave));
    return false;
  }

  private VanishedPods.Asker asker(VanishedPod pod, long leave) {
    return new VanishedPods.Asker() {
      @Override
      public boolean waits() {
        return workloads.missing(pod.attempt(), pod.key(), leave);
      }

      @Override
      public void found(ObservedMember now) {
        runIf(workloads.found(pod.attempt(), now, leave), changed);
      }

      @Override
      public void gone() {
        runIf(workloads.gone(pod.attempt(), pod.key(), leave), changed);
      }
    };
  }

  private static @Nullable Anchor anchor(ConfigMap map) {
    return ObjectLabels.attempt(map)
        .map(attempt -> new Anchor(attempt, InPlace.of(map)))
        .orElse(null);
  }

  private boolean anchor(@Nullable Anchor before, @Nullable Anchor now) {
    Anchor anchor = now != null ? now : before;
    if (anchor == null) {
      return false;
    }
    boolean members =
        inPlace.anchored(
            before == null ? null : before.object(), now == null ? null : now.object());
    return workloads.others(anchor.attempt(), now != null) || members;
  }

  private static Labelled labelled(Pod pod) {
    OwnPod own = OwnPod.of(pod);
    return own != null ? new Labelled(own, null) : new Labelled(null, foreign(pod));
  }

  private static ReservedPods.@Nullable Seen foreign(Pod pod) {
    boolean ended =
        pod.getStatus() != null && ENDED.contains(String.valueOf(pod.getStatus().getPhase()));
    if (ended || pod.getSpec() == null || pod.getSpec().getNodeName() == null) {
      return null;
    }
    ResourceVector asked = NodeAmounts.asked(pod);
    AttemptId attempt = reservation(pod);
    String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    return new ReservedPods.Seen(
        new Inventory.ForeignPod(key, pod.getSpec().getNodeName(), asked),
        pod.getMetadata().getNamespace(),
        attempt,
        pod.getMetadata().getOwnerReferences().stream()
            .anyMatch(owner -> Boolean.TRUE.equals(owner.getController())),
        attempt == null ? null : ObjectPod.of(pod));
  }

  private boolean foreign(ReservedPods.@Nullable Seen before, ReservedPods.@Nullable Seen now) {
    boolean use = reserved.changed(before, now);
    boolean left = shown(before);
    boolean joined = shown(now);
    return use || left || joined;
  }

  /** Shows the pods of the object that the label of the pod names. Returns whether any changed. */
  private boolean shown(ReservedPods.@Nullable Seen pod) {
    AttemptId attempt = pod == null ? null : pod.attempt();
    return attempt != null && inPlace.pods(attempt, reserved.of(attempt));
  }

  /** The attempt that the label of the pod names, null if none. */
  private static @Nullable AttemptId reservation(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    String named = labels == null ? null : labels.get(KindObject.RESERVED);
    return named == null ? null : IdText.decode(named).map(AttemptId::new).orElse(null);
  }

  private static void runIf(boolean changed, Runnable listener) {
    if (changed) {
      listener.run();
    }
  }
}
