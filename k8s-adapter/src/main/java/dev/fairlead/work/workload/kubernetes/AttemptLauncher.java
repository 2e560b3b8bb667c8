package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.SharedGpus;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.pod.Claims;
import dev.fairlead.work.workload.kubernetes.pod.CloudIdentityPods;
import dev.fairlead.work.workload.kubernetes.pod.CodeContainer;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import dev.fairlead.work.workload.kubernetes.pod.PodContainers;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Creates the missing objects of an attempt: anchor, dependents, pods. */
final class AttemptLauncher {
  private static final int AT_ONCE = 8;

  /** Taints that mirror a condition or field that is checked directly, and may lag behind it. */
  private static final Set<String> SHADOWS =
      Set.of(
          "node.kubernetes.io/unschedulable",
          "node.kubernetes.io/not-ready",
          "node.kubernetes.io/unreachable");

  private static final String CHANGED =
      "keys of secrets were removed before the attempt received them. Submit the job again.";

  private static final ActionOutcome DONE = new ActionOutcome.Done(Collections.emptySortedSet());

  private final ClusterView view;
  private final Namespaces namespaces;
  private final EpochFence fence;
  private final ObjectCreator creator;
  private final NamespaceIsolation isolation;
  private final Claims claims;
  private final InPlaceObjects inPlace;
  private final String helperImage;

  /**
   * @param helperImage image with Python
   */
  AttemptLauncher(
      ClusterView view,
      Namespaces namespaces,
      EpochFence fence,
      ObjectCreator creator,
      Claims claims,
      InPlaceObjects inPlace,
      String helperImage) {
    this.view = view;
    this.namespaces = namespaces;
    this.fence = fence;
    this.creator = creator;
    this.isolation = namespaces.isolation();
    this.claims = claims;
    this.inPlace = inPlace;
    this.helperImage = helperImage;
  }

  /**
   * @param removed members with an order to leave, which are no longer created
   * @throws CallFailure if the fence or the namespace cannot be reached
   */
  ActionOutcome launch(KubernetesClient client, LaunchOrder given, Set<MemberKey> removed) {
    LaunchOrder order = claims.usual().callback() == null ? given.withoutCallback() : given;
    return switch (fence.check(client, order.epoch())) {
      case EpochClaim.Ours ours -> create(client, order, removed);
      case EpochClaim.Higher(long epoch) -> new ActionOutcome.Deposed(epoch);
      case EpochClaim.Ahead ahead ->
          new ActionOutcome.Unavailable("the cluster has seen a later state of the database");
      case EpochClaim.Unknown(String message) -> new ActionOutcome.Unavailable(message);
    };
  }

  private ActionOutcome create(KubernetesClient client, LaunchOrder order, Set<MemberKey> removed) {
    List<Member> missing = missing(order, removed);
    ActionOutcome.Refused refused = refusal(order, missing);
    if (refused != null || missing.isEmpty()) {
      return refused != null ? refused : DONE;
    }
    Project project = order.project();
    boolean other = isolation.plans().one(new NamespacePlan(project.namespace(), project.egress()));
    if (other && !isolation.refused()) {
      namespaces.forget(project.namespace());
    }
    String foreign = namespaces.ensure(client, project.namespace(), project.id());
    if (foreign != null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.NOT_NOW, foreign);
    }
    InPlace object = InPlace.of(order.attempt(), order.job());
    if (object != null) {
      return inPlace(client, order, object);
    }
    String unusable = namespaces.accounts().ensure(client, order);
    if (unusable != null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.NOT_NOW, unusable);
    }
    Claims.Finding found = claims.look(client, order);
    if (found.trouble() != null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.CLAIM_MISSING, found.trouble());
    }
    if (!ManifestFactory.anchored(order, claims.usual())) {
      return pods(client, order, missing, null, found.settings());
    }
    return switch (creator.create(client, ManifestFactory.anchor(order))) {
      case Creation.Ours<ConfigMap> anchor ->
          hang(client, order, missing, anchor.object(), found.settings());
      case Creation.Not<ConfigMap> not -> not.why();
    };
  }

  private ActionOutcome inPlace(KubernetesClient client, LaunchOrder order, InPlace object) {
    view.inPlace().begins(object);
    return switch (creator.create(client, ManifestFactory.anchor(order))) {
      case Creation.Ours<ConfigMap> anchor ->
          inPlace.start(order, object, claims.usual().devices());
      case Creation.Not<ConfigMap> not -> not.why();
    };
  }

  private ActionOutcome hang(
      KubernetesClient client,
      LaunchOrder order,
      List<Member> missing,
      ConfigMap anchor,
      ClusterSettings settings) {
    for (HasMetadata dependent : ManifestFactory.dependents(order, anchor)) {
      ActionOutcome outcome =
          dependent instanceof NetworkPolicy policy
              ? isolate(client, policy)
              : done(creator.create(client, dependent));
      if (!(outcome instanceof ActionOutcome.Done)) {
        return outcome;
      }
    }
    GenericKubernetesResource group = ManifestFactory.group(order, anchor, settings);
    ActionOutcome grouped = group == null ? DONE : creator.createGroup(client, group);
    if (!(grouped instanceof ActionOutcome.Done)) {
      return grouped;
    }
    ActionOutcome secret = ManifestFactory.secret(order) ? secret(client, order, anchor) : DONE;
    return secret instanceof ActionOutcome.Done
        ? pods(client, order, missing, anchor, settings)
        : secret;
  }

  /**
   * Without the policy, the gang accepts all traffic, because no policy of the namespace restricts
   * its ingress.
   */
  private ActionOutcome isolate(KubernetesClient client, NetworkPolicy policy) {
    if (isolation.refused()) {
      isolation.gangOpen(policy, NamespaceIsolation.NO_RIGHT);
      return DONE;
    }
    ActionOutcome outcome = done(creator.create(client, policy));
    switch (outcome) {
      case ActionOutcome.Done done -> isolation.gangClosed(policy);
      case ActionOutcome.Refused refused -> isolation.gangRefused(policy, refused.message());
      case ActionOutcome.Unavailable away -> {}
      case ActionOutcome.Deposed deposed -> {}
    }
    return outcome instanceof ActionOutcome.Refused ? DONE : outcome;
  }

  private static ActionOutcome done(Creation<?> creation) {
    return switch (creation) {
      case Creation.Ours<?> there -> DONE;
      case Creation.Not<?> not -> not.why();
    };
  }

  /**
   * Creates the secret only with the keys that the anchor names, so it is never replaced by another
   * set of keys.
   */
  private ActionOutcome secret(KubernetesClient client, LaunchOrder order, ConfigMap anchor) {
    Secret wanted = ManifestFactory.secret(order, anchor);
    SortedSet<String> keys = ManifestFactory.secretKeys(anchor);
    Optional<String> missing = order.missingSecret();
    if (missing.isPresent() && keys.equals(order.secretData().keySet())) {
      return new ActionOutcome.Refused(ActionOutcome.Why.INVALID, missing.get());
    }
    boolean whole = keys.equals(wanted.getData().keySet());
    return creator.createSecret(
        client, wanted, whole ? Optional.empty() : missing.or(() -> Optional.of(CHANGED)));
  }

  /**
   * Returns members that were never seen and are not visible now. A member that was seen once is
   * never created again.
   */
  private List<Member> missing(LaunchOrder order, Set<MemberKey> removed) {
    ObservedWorkload seen = view.workloads().workload(order.attempt().id());
    return order.attempt().toCreate().stream()
        .filter(m -> seen.member(MemberKey.of(m)).isEmpty())
        .filter(m -> !removed.contains(MemberKey.of(m)))
        .toList();
  }

  private ActionOutcome pods(
      KubernetesClient client,
      LaunchOrder order,
      List<Member> missing,
      @Nullable ConfigMap anchor,
      ClusterSettings settings) {
    List<Pod> wanted = new ArrayList<>();
    SortedMap<String, ResourceClaim> gpus = new TreeMap<>();
    for (Member member : missing) {
      Pod pod = pod(order, member, anchor, settings);
      wanted.add(pod);
      ResourceClaim claim = ManifestFactory.claim(order, member, anchor, settings);
      if (claim != null) {
        gpus.put(pod.getMetadata().getName(), claim);
      }
    }
    String namespace = order.project().namespace();
    String waits = isolation.quotas().take(client, namespace, wanted);
    if (waits != null) {
      return new ActionOutcome.Unavailable(waits);
    }
    try {
      return create(client, wanted, gpus);
    } finally {
      isolation.quotas().sent(namespace, wanted);
    }
  }

  /**
   * @param gpus claims of pods, by the name of the pod. The scheduler waits for a missing claim, so
   *     a claim is created first
   */
  private ActionOutcome create(
      KubernetesClient client, List<Pod> pods, Map<String, ResourceClaim> gpus) {
    try (ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(AT_ONCE, pods.size()), Thread.ofVirtual().factory())) {
      List<Callable<ActionOutcome>> creates = new ArrayList<>();
      for (Pod pod : pods) {
        ResourceClaim claim = gpus.get(pod.getMetadata().getName());
        creates.add(() -> {
          ActionOutcome first = claim == null ? DONE : done(creator.create(client, claim));
          return first instanceof ActionOutcome.Done ? done(creator.create(client, pod)) : first;
        });
      }
      ActionOutcome worst = DONE;
      for (Future<ActionOutcome> result : threads.invokeAll(creates)) {
        worst = worse(worst, result.get());
      }
      return worst;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ActionOutcome.Unavailable("interrupted");
    } catch (ExecutionException e) {
      throw CallFailure.of(e.getCause() == null ? e : e.getCause());
    }
  }

  private Pod pod(
      LaunchOrder order, Member member, @Nullable ConfigMap anchor, ClusterSettings settings) {
    NodeReport node = view.inventory().find(member.nodeName()).orElse(null);
    Pod pod = ManifestFactory.pod(order, member, anchor, settings, node);
    WorkdirSpec code = order.job().spec().workdir();
    Pod coded = code == null ? pod : CodeContainer.in(pod, order, code, settings, helperImage);
    Pod full =
        PodContainers.in(coded, order, PodSpecs.role(order.job().spec(), member).extraContainers());
    return CloudIdentityPods.in(full, order.identity());
  }

  /** Returns the more informative outcome: a refusal, then a missing answer, then success. */
  private static ActionOutcome worse(ActionOutcome a, ActionOutcome b) {
    return severity(b) > severity(a) ? b : a;
  }

  private static int severity(ActionOutcome outcome) {
    return switch (outcome) {
      case ActionOutcome.Done done -> 0;
      case ActionOutcome.Unavailable away -> 1;
      case ActionOutcome.Refused refused -> 2;
      case ActionOutcome.Deposed deposed -> 3;
    };
  }

  /**
   * Returns a refusal that is known before anything is sent: a node that changed since the plan, or
   * an unsupported request.
   */
  private ActionOutcome.@Nullable Refused refusal(LaunchOrder order, List<Member> missing) {
    for (RoleSpec role : order.job().spec().roles()) {
      String unsupported = unsupported(role, claims.usual());
      if (unsupported == null) {
        unsupported =
            PodContainers.trouble(role.extraContainers(), order.capabilities().serverVersion());
      }
      if (unsupported != null) {
        return new ActionOutcome.Refused(ActionOutcome.Why.UNSUPPORTED, unsupported);
      }
    }
    if (!InPlace.object(order.job()).isEmpty()
        && InPlace.of(order.attempt(), order.job()) == null) {
      return new ActionOutcome.Refused(
          ActionOutcome.Why.INVALID,
          "the job reserves nodes for an object of a front cluster and cannot run without it");
    }
    String lost = BackendLoss.trouble(claims.usual().backend().kind(), order.job().spec());
    if (lost != null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.DENIED, lost);
    }
    Optional<String> unidentified = order.missingIdentity();
    if (unidentified.isPresent()) {
      return new ActionOutcome.Refused(ActionOutcome.Why.INVALID, unidentified.get());
    }
    String codeless = CodeContainer.trouble(order);
    if (codeless != null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.DENIED, codeless);
    }
    for (Member member : missing) {
      NodeReport node = view.inventory().find(member.nodeName()).orElse(null);
      String trouble =
          node == null
              ? "is not there"
              : trouble(node, order.job().spec(), member, claims.usual().devices());
      if (trouble != null) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.PLACE_REFUSED,
            "node "
                + member.nodeName()
                + " "
                + trouble
                + " since "
                + member.key()
                + " was planned");
      }
    }
    return null;
  }

  private static @Nullable String unsupported(RoleSpec role, ClusterSettings settings) {
    if (role.image().equals(RoleSpec.NO_IMAGE)) {
      return "role %s has image none, which only Slurm clusters run".formatted(role.name());
    }
    if (role.rdma() && settings.rdmaResource() == null) {
      return "the fabric of this cluster is unknown: it was registered without rdmaResource";
    }
    return switch (role.gpu().kind()) {
      case MEMORY -> "this cluster does not divide the memory of GPUs";
      case NONE, WHOLE, MIG, FRACTION -> null;
    };
  }

  private static @Nullable String trouble(
      NodeReport node, JobSpec spec, Member member, PodDevices devices) {
    if (node.cordoned() || !node.ready()) {
      return node.cordoned() ? "is cordoned" : "is not ready";
    }
    if (node.leaving()
        && node.notice().map(n -> n.closes(InstantSource.system().instant())).orElse(true)) {
      return "is about to be removed";
    }
    GpuRequest asked =
        spec.roles().stream()
            .filter(r -> r.name().equals(member.role()))
            .map(RoleSpec::gpu)
            .findFirst()
            .orElse(GpuRequest.NONE);
    boolean gpu = asked.kind() != GpuRequest.Kind.NONE;
    if (asked.kind() == GpuRequest.Kind.FRACTION
        && !SharedGpus.fits(asked, SharedGpus.parts(node.labels()))) {
      return "does not provide such parts of its GPUs";
    }
    String other = GpuClaims.trouble(devices, PodSpecs.role(spec, member), member, node);
    if (other != null) {
      return other;
    }
    return node.taints().stream()
        .filter(t -> !t.effect().equals("PreferNoSchedule") && !SHADOWS.contains(t.key()))
        .filter(t -> !t.own()) // ignore Fairlead's own taints, as the planner does
        .filter(t -> !(gpu && t.key().equals(GpuResources.TAINT)))
        .map(Taint::key)
        .findFirst()
        .map(key -> "is tainted " + key)
        .orElse(null);
  }
}
