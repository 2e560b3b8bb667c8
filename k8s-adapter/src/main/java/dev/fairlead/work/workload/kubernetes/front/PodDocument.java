package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuProduct;
import dev.fairlead.kernel.resources.Quantity;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Translates the pod template of a Job. */
final class PodDocument {
  private static final String GPU = "nvidia.com/gpu";
  private static final int MOST_GPUS = 9999;
  private static final String PRODUCT = "nvidia.com/gpu.product";

  private PodDocument() {}

  static void read(JobFields pod, ObjectNode document) {
    pod.only("restartPolicy", "Never and OnFailure are supported", "Never", "OnFailure");
    pod.only("dnsPolicy", "it is ClusterFirst", "ClusterFirst");
    pod.only("schedulerName", "Fairlead places the pods", "default-scheduler");
    pod.only("serviceAccount", account(), "default");
    pod.only("serviceAccountName", account(), "default");
    absent(pod, "automountServiceAccountToken", "pods of a job have no token of the cluster");
    absent(pod, "enableServiceLinks", "pods of a job get no service environment variables");
    security(pod, false);
    Long grace = pod.number("terminationGracePeriodSeconds");
    if (grace != null) {
      document.putObject("preemption").put("gracePeriod", grace + "s");
    }
    JobFields nodes = pod.fields("nodeSelector");
    String product = nodes == null ? null : nodes.text(PRODUCT);
    if (nodes != null) {
      labels(nodes, document);
    }
    List<JobFields> tolerations = pod.items("tolerations");
    List<JobFields> containers = pod.items("containers");
    if (containers.size() != 1) {
      throw pod.foreign(
          "containers", "a member of a job has one container, not " + containers.size());
    }
    pod.done();
    boolean gpus = container(containers.getFirst(), product, document);
    tolerations.forEach(one -> tolerated(one, gpus));
    if (product != null && !gpus) {
      throw new JobFields.Foreign(
          pod.path("nodeSelector") + "." + PRODUCT, "the container requests no " + GPU);
    }
  }

  private static void absent(JobFields of, String flag, String why) {
    if (Boolean.TRUE.equals(of.flag(flag))) {
      throw of.foreign(flag, why);
    }
  }

  private static String account() {
    return "pods of a job run under an account without permissions. Remove it, and submit jobs that"
        + " need a cloudIdentity to Fairlead itself.";
  }

  private static void labels(JobFields nodes, ObjectNode document) {
    SortedMap<String, String> labels = new TreeMap<>();
    for (String name : nodes.left()) {
      labels.put(name, String.valueOf(nodes.text(name)));
    }
    if (!labels.isEmpty()) {
      JobDocument.put(document.putObject("placement"), "nodeLabels", labels);
    }
  }

  /** Every pod with GPUs has the toleration for GPU nodes anyway. */
  private static void tolerated(JobFields one, boolean gpus) {
    String key = one.text("key");
    one.only("operator", "Exists is there", "Exists", "Equal");
    one.pass("effect", "value");
    if (!gpus || !GPU.equals(key)) {
      throw one.foreign("key", "only nodes without such taints are used. Remove the toleration.");
    }
    one.done();
  }

  /** Accepts only the settings that every pod of Fairlead has anyway. */
  private static void security(JobFields of, boolean container) {
    JobFields security = of.fields("securityContext");
    if (security == null) {
      return;
    }
    if (Boolean.FALSE.equals(security.flag("runAsNonRoot"))) {
      throw security.foreign("runAsNonRoot", "no job runs as root");
    }
    JobFields profile = security.fields("seccompProfile");
    if (profile != null) {
      profile.only("type", "it is RuntimeDefault", "RuntimeDefault");
      profile.done();
    }
    if (container) {
      absent(security, "allowPrivilegeEscalation", "no job may");
      JobFields capabilities = security.fields("capabilities");
      if (capabilities != null) {
        if (!capabilities.texts("drop").contains("ALL")) {
          throw capabilities.foreign("drop", "all are dropped");
        }
        capabilities.done();
      }
    }
    security.done();
  }

  /** Returns whether the pod requests GPUs. */
  private static boolean container(
      JobFields container, @Nullable String product, ObjectNode document) {
    container.pass("name");
    container.only(
        "terminationMessagePath", "it is the default, or absent", "/dev/termination-log");
    container.only(
        "terminationMessagePolicy",
        "the last lines of output are shown if there is no message",
        "File",
        "FallbackToLogsOnError");
    String image = container.text("image");
    if (image == null) {
      throw container.foreign("image", "it is missing");
    }
    document.put("image", image);
    String pulled = image.contains("@") || tagged(image) ? "IfNotPresent" : "Always";
    container.only("imagePullPolicy", "it is " + pulled + " for this image", pulled);
    security(container, true);
    Environment env = environment(container, document);
    texts(container, "command", env, document);
    texts(container, "args", env, document);
    JobFields resources = container.fields("resources");
    container.done();
    return resources != null && resources(resources, product, document);
  }

  private static boolean tagged(String image) {
    String last = image.substring(image.lastIndexOf('/') + 1);
    return last.contains(":") && !last.endsWith(":latest");
  }

  /** Variables with known values, and the names of the others. */
  private static final class Environment {
    private final SortedMap<String, String> known = new TreeMap<>();
    private final Set<String> hidden = new TreeSet<>();

    /** Remaining number of characters of all texts together. */
    private int room = JobDocument.LARGEST;

    private String expanded(String text)
        throws FrontJobExpansion.Hidden, FrontJobExpansion.TooLong {
      String expanded = FrontJobExpansion.of(text, known, hidden, room);
      room -= expanded.length();
      return expanded;
    }
  }

  private static Environment environment(JobFields container, ObjectNode document) {
    Environment env = new Environment();
    ObjectNode secrets = document.objectNode();
    for (JobFields one : container.items("env")) {
      String name = String.valueOf(one.text("name"));
      JobFields from = one.fields("valueFrom");
      String value = one.text("value");
      one.done();
      if (env.known.containsKey(name) || env.hidden.contains(name)) {
        throw one.foreign("name", name + " is given twice");
      }
      if (from == null) {
        env.known.put(name, expanded(one, "value", value == null ? "" : value, env));
      } else {
        secret(from, secrets.putObject(name));
        env.hidden.add(name);
      }
    }
    JobDocument.put(document, "env", env.known);
    if (!secrets.isEmpty()) {
      document.set("secretEnv", secrets);
    }
    return env;
  }

  /** Reads a secret of the project, by the name of the Secret. */
  private static void secret(JobFields from, ObjectNode secret) {
    JobFields key = from.fields("secretKeyRef");
    from.done();
    if (key == null) {
      throw from.foreign("secretKeyRef", "it must be the only source of a variable");
    }
    secret.put("secret", String.valueOf(key.text("name")));
    secret.put("key", String.valueOf(key.text("key")));
    if (Boolean.TRUE.equals(key.flag("optional"))) {
      throw key.foreign("optional", "a secret that a job names must exist");
    }
    key.done();
  }

  private static String expanded(JobFields at, String field, String text, Environment env) {
    try {
      return env.expanded(text);
    } catch (FrontJobExpansion.TooLong tooLong) {
      throw at.foreign(field, String.valueOf(tooLong.getMessage()));
    } catch (FrontJobExpansion.Hidden hidden) {
      throw at.foreign(
          field,
          ("$(%s) comes from a secret, which cannot be expanded in a job's fields. Let the"
                  + " program read the variable.")
              .formatted(hidden.getMessage()));
    }
  }

  private static void texts(
      JobFields container, String name, Environment env, ObjectNode document) {
    List<String> words = container.texts(name);
    if (!words.isEmpty()) {
      ArrayNode list = document.putArray(name);
      words.forEach(word -> list.add(expanded(container, name, word, env)));
    }
  }

  private static boolean resources(
      JobFields resources, @Nullable String product, ObjectNode document) {
    JobFields requests = resources.fields("requests");
    JobFields limits = resources.fields("limits");
    resources.done();
    /* CPU is shared by request and has no limit. */
    String cpu = requests == null ? null : requests.text("cpu");
    String most = limits == null ? null : limits.text("cpu");
    if (most != null && cpu != null && !Quantity.same(most, cpu) && limits != null) {
      throw limits.foreign("cpu", "it must be equal to the request, " + cpu);
    }
    put(document, "cpu", cpu == null ? most : cpu);
    put(document, "memory", equal("memory", requests, limits));
    String gpus = equal(GPU, requests, limits);
    if (requests != null) {
      requests.done();
    }
    if (limits != null) {
      limits.done();
    }
    if (gpus == null || gpus.equals("0")) {
      return false;
    }
    long asked = Quantity.units(gpus).filter(n -> Quantity.same(gpus, n.toString())).orElse(0L);
    int count = (int) Math.min(asked, MOST_GPUS + 1L);
    if (count < 1 || count > MOST_GPUS) {
      throw resources.foreign("limits." + GPU, "it is not a number of GPUs: " + gpus);
    }
    gpu(resources, product, count, document);
    return true;
  }

  /**
   * Requests GPUs of a product, or the slices that nodes with the label of such a product offer.
   */
  private static void gpu(
      JobFields resources, @Nullable String label, int count, ObjectNode document) {
    if (label == null) {
      document.put("gpu", count);
      return;
    }
    GpuProduct product = GpuProduct.of(label);
    if (product.shared() || product.virtual()) {
      throw resources.foreign(
          "limits." + GPU, "nodes with the product " + label + " offer no whole GPUs or slices");
    }
    ObjectNode gpu = document.putObject("gpu").put("model", GpuCatalogue.asked(product.name()));
    if (product.profile() == null) {
      gpu.put("count", count);
    } else {
      gpu.putObject("mig").put("profile", product.profile()).put("count", count);
    }
  }

  private static @Nullable String equal(
      String name, @Nullable JobFields requests, @Nullable JobFields limits) {
    String asked = requests == null ? null : requests.text(name);
    String most = limits == null ? null : limits.text(name);
    if (limits != null && asked != null && most != null && !Quantity.same(asked, most)) {
      throw limits.foreign(name, "it must be equal to the request, " + asked);
    }
    return asked == null ? most : asked;
  }

  private static void put(ObjectNode document, String name, @Nullable String value) {
    if (value != null) {
      document.put(name, value);
    }
  }
}
