package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.RemovalOutcome;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.FenceProbe;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceRemovals;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.node.CapabilityReport;
import dev.fairlead.work.workload.kubernetes.node.Disruptions;
import dev.fairlead.work.workload.kubernetes.node.GpuStackProbe;
import dev.fairlead.work.workload.kubernetes.node.NodePatcher;
import dev.fairlead.work.workload.kubernetes.node.NodeReports;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import dev.fairlead.work.workload.kubernetes.node.UncachedNodes;
import dev.fairlead.work.workload.kubernetes.pod.Claims;
import dev.fairlead.work.workload.kubernetes.pod.PodLogs;
import dev.fairlead.work.workload.kubernetes.pod.PodSession;
import dev.fairlead.work.workload.kubernetes.pod.VanishedPod;
import dev.fairlead.work.workload.kubernetes.provisioner.ProvisioningRequests;
import dev.fairlead.work.workload.kubernetes.route.GatewayRoutes;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One Kubernetes cluster: its watches, and the calls that change it. */
final class KubernetesClusterGateway implements ClusterGateway {
  private static final Logger LOG = LoggerFactory.getLogger(KubernetesClusterGateway.class);
  private static final int MOST_STOPPED = 50_000;

  /** Interval between checks of a namespace that is about to be removed. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  private final KubernetesSettings settings;
  private final ClusterCalls calls;
  private final TopologyLevels levels;
  private final VanishedPods vanished;
  private final ClusterView view;
  private final UncachedNodes freshNodes;
  private final ClusterOfferings survey;
  private final GpuStackProbe gpuStack;
  private final ClusterLink link;
  private final EpochFence fence;
  private final InPlaceObjects inPlace;
  private final AttemptLauncher launching;
  private final VolumeClaims volumes;
  private final ProvisioningRequests provisioning;
  private final AttemptTerminator ending;
  private final CheckpointAnnotations checkpoints;
  private final Disruptions disruptions;
  private final NodePatcher patcher;
  private final NamespaceIsolation isolation;
  private final NamespaceReconciler upkeep;
  private final NamespaceRemovals removals;
  private final FrontJobs front;
  private final GatewayRoutes routes;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Runnable onClose;
  private final Tombstones stopped = new Tombstones(MOST_STOPPED);
  private volatile Runnable listener = () -> {};

  /**
   * @param onClose called after this gateway is closed
   */
  KubernetesClusterGateway(
      Installation installation,
      Cluster cluster,
      Connection.Kubernetes connection,
      EgressPolicy egress,
      KubernetesSettings settings,
      ClusterCalls calls,
      Runnable onClose) {
    this.settings = settings;
    this.calls = calls;
    this.onClose = onClose;
    levels = levels(cluster, settings);
    NodeReports reports = new NodeReports(levels, installation.label());
    vanished = vanished(installation, calls);
    PodDevices devices = cluster.settings().devices();
    view = new ClusterView(installation, reports, vanished, devices, this::changed);
    freshNodes = new UncachedNodes(calls, reports, view.inventory());
    survey = new ClusterOfferings(calls, cluster.settings(), System::nanoTime);
    gpuStack = new GpuStackProbe(calls, System::nanoTime);
    isolation = new NamespaceIsolation(installation, calls, System::nanoTime);
    Namespaces namespaces = new Namespaces(installation, calls, isolation, System::nanoTime);
    fence =
        new EpochFence(
            installation,
            calls,
            namespaces,
            new FenceProbe(installation, calls, System::nanoTime),
            settings.fenceRequired(),
            System::nanoTime);
    ObjectCreator creator = new ObjectCreator(calls, namespaces, survey, calls.inFlight());
    provisioning = new ProvisioningRequests(installation, calls);
    volumes = new VolumeClaims(calls, namespaces, fence, creator, survey);
    disruptions = new Disruptions(installation, calls);
    patcher = new NodePatcher(installation, calls, view.deviceTaints());
    ending = new AttemptTerminator(installation, view, calls, calls.inFlight());
    checkpoints = new CheckpointAnnotations(view, calls);
    ClusterLink.Probes probes = new ClusterLink.Probes(survey, gpuStack);
    link = new ClusterLink(cluster.name(), connection, egress, settings, view, probes, calls);
    inPlace =
        KubernetesObjects.inPlace(
            installation, view.inPlace(), ending, calls, link::client, this::changed);
    launching =
        new AttemptLauncher(
            view,
            namespaces,
            fence,
            creator,
            new Claims(calls, cluster.settings()),
            inPlace,
            settings.helperImage());
    upkeep = new NamespaceReconciler(installation, calls, namespaces, isolation, this::devices);
    upkeep.start(cluster.name(), link::client);
    removals = new NamespaceRemovals(installation, calls, namespaces, this::pause);
    front =
        new FrontJobs(installation, cluster, link::beside, settings, calls, link::client, inPlace);
    routes =
        new GatewayRoutes(
            installation,
            cluster.settings().gateway(),
            calls,
            egress,
            fence,
            link::client,
            view.replicas());
  }

  private static TopologyLevels levels(Cluster cluster, KubernetesSettings settings) {
    return cluster.settings().topologyLabels().isEmpty()
        ? settings.levels()
        : new TopologyLevels(cluster.settings().topologyLabels());
  }

  private Set<String> devices() {
    return view.inventory().view().nodes().stream()
        .flatMap(node -> node.allocatable().extended().keySet().stream())
        .filter(GpuResources::gpu)
        .collect(Collectors.toSet());
  }

  private static VanishedPods vanished(Installation installation, ClusterCalls calls) {
    Executor threads = task -> Thread.ofVirtual().name("vanished-pod").start(task);
    return new VanishedPods(
        installation,
        calls,
        threads,
        (pause, task) ->
            CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, threads)
                .execute(task));
  }

  @Override
  public Contact contact() {
    return link.contact(calls.open());
  }

  @Override
  public Capabilities capabilities() {
    Capabilities found =
        CapabilityReport.of(
            link.version(),
            settings.clusterDomain(),
            levels,
            view.inventory().view().nodes(),
            view.showsDevices(),
            fence.finding(),
            view.with(survey.findings()),
            upkeep.isolation(fence.finding(), survey.findings()),
            gpuStack.found());
    Capabilities served = routes.reported(found);
    String absent = front.absent();
    return absent == null ? served : served.because("kinds", absent);
  }

  @Override
  public InventoryView inventory() {
    return view.inventory().view();
  }

  @Override
  public Optional<NodeReport> nodeNow(String name) {
    try {
      return freshNodes.find(link.client(), name);
    } catch (CallFailure | IllegalArgumentException untold) {
      LOG.debug("node {} could not be patched", name, untold);
      return Optional.empty();
    }
  }

  @Override
  public WorkloadView workloadsSince(long revision) {
    return contact().synced() ? view.since(revision) : WorkloadIndex.unknown();
  }

  @Override
  public void recognise(Attempt attempt, Job job) {
    inPlace.recognise(attempt, job);
  }

  @Override
  public boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid) {
    if (view.inPlace().find(attempt) != null) {
      return false; // its object is looked up
    }
    if (vanished.gone(uid)) {
      return true;
    }
    view.missed(new VanishedPod(namespace, attempt, member, uid));
    return false;
  }

  @Override
  public SortedSet<AttemptId> lookedUp() {
    return view.workloads().lookedUp();
  }

  @Override
  public EpochClaim claim(long epoch, long watermark) {
    try {
      EpochClaim claim = fence.claim(link.client(), epoch, watermark);
      acts(claim instanceof EpochClaim.Ours ? epoch : null);
      return claim;
    } catch (CallFailure failure) {
      acts(null);
      return new EpochClaim.Unknown("its fence: " + NextStep.of(failure));
    }
  }

  private void acts(@Nullable Long epoch) {
    upkeep.acts(epoch);
    routes.acts(epoch);
  }

  @Override
  public void plan(List<NamespacePlan> plans) {
    isolation.plans().all(plans);
  }

  @Override
  public RemovalOutcome remove(String namespace, ProjectId project) {
    try {
      return removals.remove(link.client(), namespace, project);
    } catch (CallFailure notConnected) {
      return new RemovalOutcome.Unavailable(String.valueOf(notConnected.getMessage()));
    }
  }

  @Override
  public VolumeOutcome provide(VolumeOrder order) {
    try {
      return volumes.provide(link.client(), order);
    } catch (CallFailure failure) {
      return new VolumeOutcome.Not(
          failure.refusedForNow()
              ? new ActionOutcome.Refused(
                  ActionOutcome.Why.NOT_NOW,
                  NextStep.ofCreate(failure, order.project().namespace()))
              : new ActionOutcome.Unavailable(String.valueOf(failure.getMessage())));
    }
  }

  @Override
  public SupplyAnswer supply(SupplyCall call) {
    if (!(call.supply().provisioner() instanceof Supply.ProvisioningClass wanted)) {
      return new SupplyAnswer.Unanswered("the pool has no provisioning class");
    }
    try {
      return provisioning.ask(link.client(), call, wanted);
    } catch (CallFailure notConnected) {
      return new SupplyAnswer.Unanswered(String.valueOf(notConnected.getMessage()));
    }
  }

  @Override
  public FrontGateway front() {
    return front;
  }

  /**
   * The result is empty until all replicas are known, because unknown replicas would lose their
   * traffic.
   */
  @Override
  public ServingGateway serving() {
    return routes.onlyIf(() -> contact().synced());
  }

  private boolean pause() {
    try {
      return !closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public ActionOutcome apply(WorkloadAction action) {
    try {
      InPlace object = view.inPlace().find(action.attempt());
      return switch (action) {
        case WorkloadAction.Launch launch -> launch(launch);
        case WorkloadAction.Stop stop -> {
          remember(stop.attempt());
          yield object == null
              ? ending.stop(link.client(), stop.ofMembers())
              : inPlace.stop(object);
        }
        case WorkloadAction.Remove remove -> {
          remember(remove);
          yield object == null ? ending.stop(link.client(), remove) : inPlace.stop(object);
        }
        case WorkloadAction.Ask ask -> checkpoints.ask(link.client(), ask);
        case WorkloadAction.Retire retire -> {
          remember(retire.attempt());
          yield object == null ? ending.retire(link.client(), retire) : inPlace.retire(retire);
        }
        case WorkloadAction.Budget budget -> disruptions.budget(link.client(), budget);
      };
    } catch (CallFailure failure) {
      LOG.debug(
          "{} of {} failed", action.getClass().getSimpleName(), action.attempt().text(), failure);
      return new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()));
    }
  }

  /** Creates no pod for stopped members, even if their launch arrives late. */
  private ActionOutcome launch(WorkloadAction.Launch launch) {
    Set<MemberKey> removed;
    synchronized (stopped) {
      removed = Set.copyOf(stopped.members(launch.attempt()));
      if (stopped.whole(launch.attempt())) {
        TreeSet<MemberKey> members = new TreeSet<>();
        launch.order().attempt().members().forEach(m -> members.add(MemberKey.of(m)));
        return new ActionOutcome.Done(members);
      }
    }
    if (!contact().synced()) {
      return new ActionOutcome.Unavailable("the cluster's nodes are not known yet");
    }
    try {
      return launching.launch(link.client(), launch.order(), removed);
    } catch (CallFailure failure) {
      if (!failure.refusedForNow() && !failure.denied()) {
        throw failure;
      }
      String namespace = launch.order().project().namespace();
      return new ActionOutcome.Refused(
          ActionOutcome.Why.NOT_NOW, NextStep.ofCreate(failure, namespace));
    }
  }

  private void remember(AttemptId attempt) {
    synchronized (stopped) {
      stopped.all(attempt);
    }
  }

  private void remember(WorkloadAction.Remove remove) {
    synchronized (stopped) {
      stopped.some(remove.attempt(), remove.members());
    }
  }

  @Override
  public ActionOutcome keepOut(String node, boolean out) {
    try {
      return disruptions.keepOut(link.client(), node, out);
    } catch (CallFailure failure) {
      return new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()));
    }
  }

  @Override
  public ActionOutcome setLabelsAndTaints(String node, NodeLabelsAndTaints wanted) {
    try {
      return patcher.setLabelsAndTaints(link.client(), node, wanted);
    } catch (CallFailure failure) {
      return new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()));
    }
  }

  @Override
  public NodeNotes note(String node, SortedMap<String, @Nullable String> notes) {
    try {
      return disruptions.note(link.client(), node, notes);
    } catch (CallFailure failure) {
      return new NodeNotes.Not(String.valueOf(failure.getMessage()));
    }
  }

  @Override
  public InputStream logs(LogRequest request) throws IOException {
    try {
      return PodLogs.open(link.output(), request, settings.callTimeout().toMillis());
    } catch (CallFailure notConnected) {
      throw new IOException(notConnected.getMessage(), notConnected);
    }
  }

  @Override
  public MemberSession open(SessionRequest request, MemberSession.Receiver receiver)
      throws IOException {
    try {
      return PodSession.open(link.output(), request, receiver, settings.callTimeout().toMillis());
    } catch (CallFailure notConnected) {
      throw new IOException(notConnected.getMessage(), notConnected);
    }
  }

  @Override
  public Secret newToken(AccountToken used) throws IOException {
    return NewAccountToken.of(used, link, calls);
  }

  @Override
  public void onChange(Runnable newListener) {
    listener = newListener;
  }

  private void changed() {
    try {
      listener.run();
    } catch (RuntimeException failed) {
      LOG.warn("the listener for changes failed", failed);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    upkeep.close();
    front.close();
    vanished.close();
    link.close();
    calls.close();
    onClose.run();
  }
}
