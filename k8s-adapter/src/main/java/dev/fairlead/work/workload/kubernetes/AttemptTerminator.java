package dev.fairlead.work.workload.kubernetes;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.kubernetes.call.BoundedLru;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.InFlight;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.namespace.LabelRepair;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Listable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Ends members and removes the remaining objects of attempts. It only touches objects that carry
 * the installation and the attempt.
 */
final class AttemptTerminator {
  private static final int MOST_BY_NAME = 8;

  /** Limits the reads for one attempt, so that other attempts of a pass are not delayed. */
  private static final int MOST_READS = 128;

  private static final int MOST_TOLD = 50_000;
  private static final int LONGEST_NAMES = 300;

  /** Number of attempts with a stop or removal that takes several calls. */
  private static final int MOST_UNDER_WAY = 1_000;

  private final Installation installation;
  private final ClusterView view;
  private final ClusterCalls calls;
  private final InFlight inFlight;
  private final LabelRepair labels;

  /** UIDs of the pods that this process deleted last. */
  private final BoundedLru<String, Boolean> told = new BoundedLru<>(MOST_TOLD);

  /** The last member that was looked up, for attempts with more members than one call looks up. */
  private final BoundedLru<AttemptId, MemberKey> lookedUp = new BoundedLru<>(MOST_UNDER_WAY);

  /** Members without remaining objects, of attempts that are being removed. */
  private final BoundedLru<AttemptId, Set<MemberKey>> cleared = new BoundedLru<>(MOST_UNDER_WAY);

  AttemptTerminator(
      Installation installation, ClusterView view, ClusterCalls calls, InFlight inFlight) {
    this.installation = installation;
    this.view = view;
    this.calls = calls;
    this.inFlight = inFlight;
    labels = new LabelRepair(calls);
  }

  /**
   * Looks up members without a visible pod by name, a bounded number in each call. The other
   * members count as neither deleted nor absent. The next call continues with them.
   *
   * @throws CallFailure if a call is not answered
   */
  ActionOutcome stop(KubernetesClient client, WorkloadAction.Remove stop) {
    ObservedWorkload seen = view.workloads().workload(stop.attempt());
    SortedSet<MemberKey> absent = new TreeSet<>();
    List<MemberKey> unreachable = new ArrayList<>();
    for (MemberKey key : stop.members()) {
      ObservedMember member = seen.member(key).orElse(null);
      if (member != null) {
        if (member.held() == ObservedMember.Held.SIDECARS) {
          dismiss(client, stop, key, member.uid());
        } else if ((living(member) || endless(member)) && due(member)) {
          delete(
              client,
              path("api/v1", stop.namespace(), "pods", name(stop, key)),
              member.uid(),
              stop.grace());
        }
      } else {
        unreachable.add(key);
      }
    }
    for (MemberKey key : lookedUp(stop, unreachable)) {
      if (!stopUnreachable(client, stop, key)) {
        absent.add(key);
      }
    }
    return new ActionOutcome.Done(absent);
  }

  /**
   * Orders members with a name that can be permanently free first. A call continues after the last
   * member of the previous call, because the first members may neither become visible nor end.
   */
  private List<MemberKey> lookedUp(WorkloadAction.Remove stop, List<MemberKey> unreachable) {
    if (unreachable.size() <= MOST_READS) {
      return unreachable;
    }
    MemberKey last = lookedUp.get(stop.attempt());
    Set<MemberKey> mayArrive =
        unreachable.stream()
            .filter(key -> inFlight.open(stop.namespace() + "/" + name(stop, key)))
            .collect(toSet());
    List<MemberKey> chosen =
        unreachable.stream()
            .sorted(
                Comparator.<MemberKey, Boolean>comparing(mayArrive::contains)
                    .thenComparing(key -> last != null && key.compareTo(last) <= 0)
                    .thenComparing(Comparator.naturalOrder()))
            .limit(MOST_READS)
            .toList();
    lookedUp.put(stop.attempt(), chosen.getLast());
    return chosen;
  }

  static boolean living(ObservedMember member) {
    return member.state() != MemberState.SUCCEEDED && member.state() != MemberState.FAILED;
  }

  /**
   * Returns whether the kubelet refused the pod and reports no end of a container. A container that
   * had run may still run, because a kubelet ends containers of unknown pods.
   */
  private static boolean endless(ObservedMember member) {
    return member.state() == MemberState.FAILED && !member.started() && member.exitCode() == null;
  }

  /**
   * Returns whether the pod still must be deleted. Another client's delete is followed by one more,
   * because it may have specified a longer grace period and the API server applies the shorter one.
   */
  private boolean due(ObservedMember member) {
    boolean first = told.put(member.uid(), true) == null;
    return first || !member.deleting();
  }

  /**
   * Deletes a pod in which only sidecars run. It first annotates the pod, only in the version that
   * was read, so that an earlier delete by another client still counts as an eviction.
   */
  private void dismiss(
      KubernetesClient client, WorkloadAction.Remove stop, MemberKey key, String uid) {
    var pods = client.pods().inNamespace(stop.namespace()).withName(name(stop, key));
    Pod pod = calls.read(pods::get);
    if (pod == null
        || !uid.equals(pod.getMetadata().getUid())
        || pod.getMetadata().getDeletionTimestamp() != null) {
      return;
    }
    String patch =
        "{\"metadata\":{\"resourceVersion\":\"%s\",\"annotations\":{\"%s\":\"true\"}}}"
            .formatted(pod.getMetadata().getResourceVersion(), ObjectLabels.DISMISSED);
    if (written(() -> pods.patch(PatchContext.of(PatchType.JSON_MERGE), patch))) {
      delete(client, path("api/v1", pod, "pods"), uid, stop.grace());
    }
  }

  /**
   * Returns false if the name is permanently free: no pod of Fairlead exists under it, and no
   * create of Fairlead can still arrive.
   */
  private boolean stopUnreachable(
      KubernetesClient client, WorkloadAction.Remove stop, MemberKey key) {
    String name = name(stop, key);
    /* Checked before the read, so that the read includes a create that finishes between them. */
    boolean mayArrive = inFlight.open(stop.namespace() + "/" + name);
    Pod pod =
        calls.read(() -> ByName.find(client.pods().inNamespace(stop.namespace()).withName(name)));
    if (pod == null || !ours(pod, stop.attempt())) {
      return mayArrive;
    }
    /* With its labels restored, the watches show its end. */
    Pod seen = labels.restored(client, pod, ObjectLabels.of(installation, stop.attempt(), key));
    if (seen.getMetadata().getDeletionTimestamp() == null) {
      String uid = seen.getMetadata().getUid();
      delete(client, path("api/v1", stop.namespace(), "pods", name), uid, stop.grace());
    }
    return true;
  }

  /** Identifies Fairlead's pods by labels, or by name and finalizer if the labels were changed. */
  private boolean ours(Pod pod, AttemptId attempt) {
    return ObjectLabels.belongsTo(pod, installation, attempt) || LabelRepair.tracked(pod);
  }

  /**
   * @throws CallFailure if a call is not answered
   */
  ActionOutcome retire(KubernetesClient client, WorkloadAction.Retire retire) {
    for (MemberKey key : retire.members()) {
      String member = ObjectNames.pod(retire.attempt(), key);
      if (inFlight.open(retire.namespace() + "/" + member)) {
        return new ActionOutcome.Unavailable("a create of " + member + " may still arrive");
      }
    }
    SortedMap<String, String> held = new TreeMap<>();
    int left = clear(client, retire, held);
    if (!held.isEmpty()) {
      return new ActionOutcome.Unavailable(held(retire.namespace(), held));
    }
    if (left > 0) {
      return new ActionOutcome.Unavailable(left + " members have not yet been searched by name");
    }
    String name = ObjectNames.attempt(retire.attempt());
    ConfigMap anchor =
        calls.read(
            () -> ByName.find(client.configMaps().inNamespace(retire.namespace()).withName(name)));
    if (anchor != null && ObjectLabels.belongsTo(anchor, installation, retire.attempt())) {
      remove(client, retire, anchor);
    }
    cleared.forget(retire.attempt());
    return new ActionOutcome.Done(Collections.emptySortedSet());
  }

  /**
   * Releases the pods. They are read from the cluster, because a pod that the view does not show
   * yet would otherwise never be removed. A few members are read by name, because a list by label
   * makes the API server scan every pod of the namespace. For more members, pods that the list
   * lacks but that may exist are read by name as well, because their labels may have been changed.
   * A failed call does not affect the others, and the next call continues after them.
   *
   * @param held receives the pods that remain although they are released, each with the reason
   * @return number of members that remain for further calls
   */
  private int clear(
      KubernetesClient client, WorkloadAction.Retire retire, SortedMap<String, String> held) {
    Set<MemberKey> done =
        cleared.merge(retire.attempt(), ConcurrentHashMap.newKeySet(), (before, none) -> before);
    if (retire.members().size() > MOST_BY_NAME) {
      done.addAll(retire.neverCreated());
      Pages.each(
          calls,
          labelled(client, retire)::list,
          pod -> {
            release(client, pod);
            if (free(pod, held)) {
              ObjectLabels.member(pod).ifPresent(done::add);
            }
          });
    }
    int reads = 0;
    for (MemberKey key : retire.members()) {
      if (done.contains(key)) {
        continue;
      }
      if (reads++ >= MOST_READS) {
        return (int) retire.members().stream().filter(k -> !done.contains(k)).count();
      }
      String name = ObjectNames.pod(retire.attempt(), key);
      Pod pod =
          calls.read(
              () -> ByName.find(client.pods().inNamespace(retire.namespace()).withName(name)));
      boolean there = pod != null && ours(pod, retire.attempt());
      if (there) {
        release(client, pod);
      }
      if (!there || free(pod, held)) {
        done.add(key);
      }
    }
    return 0;
  }

  /**
   * Returns whether the pod disappears after its release. A pod with another finalizer does not.
   */
  private static boolean free(Pod pod, SortedMap<String, String> held) {
    String others =
        pod.getMetadata().getFinalizers().stream()
            .filter(finalizer -> !finalizer.equals(ObjectLabels.TRACKING))
            .collect(joining(", "));
    if (!others.isEmpty()) {
      held.put(
          pod.getMetadata().getName(), String.valueOf(ReportedText.words(others, LONGEST_NAMES)));
    }
    return others.isEmpty();
  }

  private static String held(String namespace, SortedMap<String, String> held) {
    String more = held.size() == 1 ? "" : " and " + (held.size() - 1) + " more";
    return ("Fairlead released pod %s/%s%s, but the finalizer %s of another controller blocks"
            + " it. Wait for that controller. If the controller no longer exists, remove the"
            + " finalizer: kubectl -n %s edit pod %s")
        .formatted(
            namespace,
            held.firstKey(),
            more,
            held.get(held.firstKey()),
            namespace,
            held.firstKey());
  }

  private Listable<PodList> labelled(KubernetesClient client, WorkloadAction.Retire retire) {
    return client
        .pods()
        .inNamespace(retire.namespace())
        .withLabel(ObjectLabels.INSTALLATION, installation.label())
        .withLabel(ObjectLabels.ATTEMPT, retire.attempt().bare());
  }

  /**
   * Removes the pod of a member that is dead by evidence. Its result is stored, so the object may
   * be removed immediately.
   */
  private void release(KubernetesClient client, Pod pod) {
    String uid = pod.getMetadata().getUid();
    view.released(uid);
    if (!Long.valueOf(0).equals(pod.getMetadata().getDeletionGracePeriodSeconds())) {
      delete(client, path("api/v1", pod, "pods"), uid, Duration.ZERO);
    }
    int tracking = pod.getMetadata().getFinalizers().indexOf(ObjectLabels.TRACKING);
    if (tracking >= 0) {
      String path = "/metadata/finalizers/" + tracking;
      String patch =
          "[{\"op\":\"test\",\"path\":\"/metadata/uid\",\"value\":\""
              + uid
              + "\"},"
              + "{\"op\":\"test\",\"path\":\""
              + path
              + "\",\"value\":\""
              + ObjectLabels.TRACKING
              + "\"},"
              + "{\"op\":\"remove\",\"path\":\""
              + path
              + "\"}]";
      unlessGone(() -> client.pods().resource(pod).patch(PatchContext.of(PatchType.JSON), patch));
    }
  }

  /** Removes the anchor last, so that objects left by a crash can be found through it. */
  private void remove(KubernetesClient client, WorkloadAction.Retire retire, ConfigMap anchor) {
    String name = ObjectNames.attempt(retire.attempt());
    Resource<Service> service = client.services().inNamespace(retire.namespace()).withName(name);
    removeOwn(client, calls.read(service::get), retire.attempt(), "api/v1", "services");
    Resource<PodDisruptionBudget> budget =
        client.policy().v1().podDisruptionBudget().inNamespace(retire.namespace()).withName(name);
    removeOwn(
        client,
        calls.read(budget::get),
        retire.attempt(),
        "apis/policy/v1",
        "poddisruptionbudgets");
    if (view.claimsGpus()) {
      removeClaims(client, retire);
    }
    if (anchor.getData() != null && anchor.getData().containsKey(ManifestFactory.SECRET_KEYS)) {
      removeSecret(client, path("api/v1", retire.namespace(), "secrets", name));
    }
    removeOwn(client, anchor, retire.attempt(), "api/v1", "configmaps");
  }

  /**
   * Removes the claims of GPUs. A claim that a crash left behind is deleted with the anchor, its
   * owner.
   */
  private void removeClaims(KubernetesClient client, WorkloadAction.Retire retire) {
    Pages.each(
        calls,
        client
                .resources(ResourceClaim.class)
                .inNamespace(retire.namespace())
                .withLabel(ObjectLabels.INSTALLATION, installation.label())
                .withLabel(ObjectLabels.ATTEMPT, retire.attempt().bare())
            ::list,
        claim ->
            removeOwn(
                client, claim, retire.attempt(), "apis/resource.k8s.io/v1", "resourceclaims"));
  }

  /**
   * Removes the secret only by name, because it cannot be read. The name contains the attempt's id.
   * A secret that must not be removed is foreign, or is removed with its owner.
   */
  private void removeSecret(KubernetesClient client, String path) {
    DeleteOptions options = new DeleteOptionsBuilder().withPropagationPolicy("Background").build();
    try {
      unlessGone(() -> client.raw(path, "DELETE", options));
    } catch (CallFailure failure) {
      if (failure.code() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw failure;
      }
    }
  }

  private void removeOwn(
      KubernetesClient client,
      @Nullable HasMetadata object,
      AttemptId attempt,
      String api,
      String plural) {
    if (object != null && ObjectLabels.belongsTo(object, installation, attempt)) {
      delete(client, path(api, object, plural), object.getMetadata().getUid(), Duration.ZERO);
    }
  }

  /**
   * Uses a UID precondition, so that a new object with the same name is not deleted. The client
   * library has no shorter form.
   */
  private void delete(KubernetesClient client, String path, String uid, Duration grace) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withGracePeriodSeconds(grace.toSeconds())
            .withPropagationPolicy("Background")
            .withNewPreconditions(null, uid)
            .build();
    unlessGone(() -> client.raw(path, "DELETE", options));
  }

  private void unlessGone(Callable<?> write) {
    boolean _ = written(write);
  }

  /** Returns false if the object was deleted or has changed. */
  private boolean written(Callable<?> write) {
    try {
      calls.write(write);
      return true;
    } catch (CallFailure failure) {
      if (!failure.notFound() && !failure.conflict()) {
        throw failure;
      }
      return false;
    }
  }

  private static String name(WorkloadAction.Remove stop, MemberKey key) {
    return ObjectNames.pod(stop.attempt(), key);
  }

  private static String path(String api, HasMetadata object, String plural) {
    return path(api, object.getMetadata().getNamespace(), plural, object.getMetadata().getName());
  }

  private static String path(String api, String namespace, String plural, String name) {
    return "/" + api + "/namespaces/" + namespace + "/" + plural + "/" + name;
  }
}
