package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.VolumeOrder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Labels of Fairlead's objects, and their interpretation. Ids are stored without prefix. */
public final class ObjectLabels {
  public static final String INSTALLATION = ObjectNames.LABEL_PREFIX + "installation";
  public static final String MANAGED_BY = ObjectNames.LABEL_PREFIX + "managed-by";
  public static final String FAIRLEAD = "fairlead";
  static final String JOB = ObjectNames.LABEL_PREFIX + "job";
  public static final String ATTEMPT = ObjectNames.LABEL_PREFIX + "attempt";
  static final String PROJECT = ObjectNames.LABEL_PREFIX + "project";
  public static final String EPOCH = ObjectNames.LABEL_PREFIX + "epoch";
  public static final String ROLE = ObjectNames.LABEL_PREFIX + "role";
  public static final String INDEX = ObjectNames.LABEL_PREFIX + "index";
  public static final String INCARNATION = ObjectNames.LABEL_PREFIX + "incarnation";

  /**
   * Annotation of a namespace that Fairlead created: {@code <installation>/<project>}. It is set at
   * creation and never added later, so an existing namespace does not have it.
   */
  static final String CREATED_FOR = ObjectNames.LABEL_PREFIX + "created-for";

  /** Label of pods that selects the network policies that apply. */
  public static final String NETWORK = ObjectNames.LABEL_PREFIX + "network";

  /** Nothing reaches the pod. */
  public static final String ALONE = "alone";

  /** The members of its gang reach the pod. */
  public static final String GANG = "gang";

  /** Finalizer that reserves an object's name and retains its result until the result is stored. */
  public static final String TRACKING = ObjectNames.LABEL_PREFIX + "tracking";

  /**
   * Annotation of a pod that Fairlead deleted because its main container had ended and sidecars
   * were still running.
   */
  public static final String DISMISSED = ObjectNames.LABEL_PREFIX + "dismissed";

  /** Annotation of a pod without a planned node: the scheduler that chooses its node. */
  public static final String SCHEDULED_BY = ObjectNames.LABEL_PREFIX + "scheduled-by";

  /** Label of pods and of the claim of a volume. */
  static final String TENANT = ObjectNames.LABEL_PREFIX + "tenant";

  static final String VOLUME = ObjectNames.LABEL_PREFIX + "volume";

  static final Set<String> OF_ATTEMPT =
      Set.of(INSTALLATION, MANAGED_BY, JOB, ATTEMPT, PROJECT, EPOCH);

  /** Label of requests to an autoscaler for nodes: the key of the request. */
  public static final String SUPPLY = ObjectNames.LABEL_PREFIX + "supply";

  /**
   * Label of pods of replicas and of the objects of their route: the bare id of the model service.
   */
  public static final String SERVICE = ObjectNames.LABEL_PREFIX + "service";

  /** Label of pods of replicas and of the Service of their version: its number. */
  public static final String SERVICE_VERSION = ObjectNames.LABEL_PREFIX + "service-version";

  /** Percent of the traffic of a service for the gateway of this cluster, on its HTTPRoute. */
  public static final String SHARE = ObjectNames.LABEL_PREFIX + "share";

  private static final int MOST_DIGITS = 5;

  private ObjectLabels() {}

  public static SortedMap<String, String> of(Installation installation) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put(INSTALLATION, installation.label());
    labels.put(MANAGED_BY, FAIRLEAD);
    return labels;
  }

  public static SortedMap<String, String> of(LaunchOrder order) {
    SortedMap<String, String> labels = of(order.installation());
    labels.put(JOB, order.job().id().bare());
    labels.put(ATTEMPT, order.attempt().id().bare());
    labels.put(PROJECT, order.project().id().bare());
    labels.put(EPOCH, Long.toString(order.epoch()));
    return labels;
  }

  /**
   * Returns the labels of a claim. The id distinguishes its volume from others of the same name.
   */
  public static SortedMap<String, String> of(VolumeOrder order) {
    SortedMap<String, String> labels = of(order.installation());
    labels.put(TENANT, order.volume().tenant().bare());
    labels.put(PROJECT, order.project().id().bare());
    labels.put(VOLUME, order.volume().id().toString());
    return labels;
  }

  public static SortedMap<String, String> of(LaunchOrder order, MemberKey member) {
    SortedMap<String, String> labels = of(order);
    labels.put(TENANT, order.project().tenant().bare());
    labels.putAll(of(order.installation(), order.attempt().id(), member));
    return labels;
  }

  /** Returns the labels that follow from a pod's name, by which the watches select it. */
  public static SortedMap<String, String> of(
      Installation installation, AttemptId attempt, MemberKey member) {
    SortedMap<String, String> labels = of(installation);
    labels.put(ATTEMPT, attempt.bare());
    labels.put(ROLE, member.role());
    labels.put(INDEX, Integer.toString(member.index()));
    labels.put(INCARNATION, Integer.toString(member.incarnation()));
    return labels;
  }

  public static boolean belongsTo(
      HasMetadata object, Installation installation, AttemptId attempt) {
    Map<String, String> labels = labels(object);
    return installation.label().equals(labels.get(INSTALLATION))
        && attempt.bare().equals(labels.get(ATTEMPT));
  }

  /**
   * Returns whether an existing object equals the object to create, regardless of its creator,
   * epoch and foreign labels.
   */
  public static boolean sameIdentity(HasMetadata there, HasMetadata wanted) {
    Map<String, String> has = labels(there);
    return labels(wanted).entrySet().stream()
        .filter(label -> label.getKey().startsWith(ObjectNames.LABEL_PREFIX))
        .allMatch(label ->
            label.getKey().equals(EPOCH) || label.getValue().equals(has.get(label.getKey())));
  }

  /** Returns whether Fairlead deleted the pod after its main container had ended. */
  public static boolean dismissed(HasMetadata pod) {
    return annotated(pod, DISMISSED);
  }

  /** Returns whether Fairlead requested a checkpoint of the pod. */
  public static boolean asked(HasMetadata pod) {
    return annotated(pod, ObjectNames.CHECKPOINT);
  }

  private static boolean annotated(HasMetadata pod, String name) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations != null && annotations.containsKey(name);
  }

  public static Optional<AttemptId> attempt(HasMetadata object) {
    String bare = labels(object).get(ATTEMPT);
    return bare == null ? Optional.empty() : IdText.decode(bare).map(AttemptId::new);
  }

  public static Optional<JobId> job(HasMetadata object) {
    String bare = labels(object).get(JOB);
    return bare == null ? Optional.empty() : IdText.decode(bare).map(JobId::new);
  }

  /** Returns the member in the pod's labels. The result is empty unless its name matches. */
  public static Optional<MemberKey> member(HasMetadata pod) {
    Map<String, String> labels = labels(pod);
    String role = labels.get(ROLE);
    Optional<Integer> index = number(labels.get(INDEX));
    Optional<Integer> incarnation = number(labels.get(INCARNATION));
    Optional<AttemptId> attempt = attempt(pod);
    if (role == null || index.isEmpty() || incarnation.isEmpty() || attempt.isEmpty()) {
      return Optional.empty();
    }
    MemberKey key = new MemberKey(role, index.get(), incarnation.get());
    return ObjectNames.pod(attempt.get(), key).equals(pod.getMetadata().getName())
        ? Optional.of(key)
        : Optional.empty();
  }

  private static Optional<Integer> number(@org.jspecify.annotations.Nullable String text) {
    return text != null && text.matches("[0-9]{1," + MOST_DIGITS + "}")
        ? Optional.of(Integer.parseInt(text))
        : Optional.empty();
  }

  private static Map<String, String> labels(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? Map.of() : labels;
  }
}
