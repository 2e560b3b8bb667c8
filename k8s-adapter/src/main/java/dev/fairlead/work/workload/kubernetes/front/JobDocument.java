package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.spec.ArrayRange;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Translates a Job to a job spec. A field that has no equivalent, and a value with a meaning, makes
 * the whole Job inexpressible, so that nothing is dropped silently.
 */
public final class JobDocument {
  /** Labels of a Job that Fairlead reads. */
  public static final String QUEUE = "fairlead.dev/queue";

  public static final String PRIORITY_CLASS = "fairlead.dev/priority-class";

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String OURS = "fairlead.dev/";
  private static final long MOST_ATTEMPTS = 20;

  /** The default of a Job. */
  private static final long BACKOFF_LIMIT = 6;

  /** A larger Job is not a request of a person. */
  static final int LARGEST = 256 * 1024;

  /** Failures after which the Job controller would start another pod. */
  private static final List<String> RETRIED =
      List.of(
          "USER_ERROR",
          "OUT_OF_MEMORY",
          "EVICTED",
          "NODE_FAILURE",
          "GPU_FAULT",
          "CLUSTER_LOST",
          "NETWORK",
          "START_TIMEOUT",
          "PLACEMENT_CONFLICT");

  /** Labels that the API server adds to each pod template. */
  private static final Set<String> GIVEN =
      Set.of(
          "controller-uid",
          "job-name",
          "batch.kubernetes.io/controller-uid",
          "batch.kubernetes.io/job-name");

  private JobDocument() {}

  public static FrontRequest of(Job job) {
    try {
      JsonNode tree = tree(job);
      ObjectNode document = JsonNodeFactory.instance.objectNode();
      labels(new JobFields(tree.path("metadata"), "metadata"), document);
      spec(new JobFields(tree.path("spec"), "spec"), document);
      String json = document.toString();
      return json.length() > LARGEST
          ? new FrontRequest.Inexpressible("spec.template", "it exceeds the maximum size of a job")
          : new FrontRequest.Document(json);
    } catch (JobFields.Foreign foreign) {
      return new FrontRequest.Inexpressible(foreign.field(), String.valueOf(foreign.getMessage()));
    }
  }

  private static JsonNode tree(Job job) {
    try {
      return MAPPER.readTree(Serialization.asJson(job));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Reads the labels of the Job itself, which choose among the options of its project. */
  private static void labels(JobFields metadata, ObjectNode document) {
    JobFields labels = metadata.fields("labels");
    if (labels == null) {
      return;
    }
    put(document, "queue", labels.text(QUEUE));
    put(document, "priorityClass", labels.text(PRIORITY_CLASS));
    for (String name : labels.left()) {
      if (name.startsWith(OURS)) {
        throw labels.foreign(
            name, "Fairlead reads the labels " + QUEUE + " and " + PRIORITY_CLASS + " alone");
      }
    }
  }

  private static void put(ObjectNode document, String name, @Nullable String value) {
    if (value != null) {
      document.put(name, value);
    }
  }

  private static void spec(JobFields spec, ObjectNode document) {
    spec.only("managedBy", "it is not Fairlead", SeenJob.MANAGER);
    /* The front cluster handles these fields, or they have no meaning without pods. */
    spec.pass("suspend", "ttlSecondsAfterFinished", "selector", "podReplacementPolicy");
    if (Boolean.TRUE.equals(spec.flag("manualSelector"))) {
      throw spec.foreign("manualSelector", "the pods run on other clusters. Remove it.");
    }
    completions(spec, document);
    retries(spec, document);
    Long deadline = spec.number("activeDeadlineSeconds");
    if (deadline != null) {
      document.put("maxRuntime", deadline + "s");
    }
    JobFields template = spec.fields("template");
    if (template == null) {
      throw spec.foreign("template", "it is missing");
    }
    spec.done();
    template(template, document);
  }

  /**
   * Sets the number of elements to the completions, and the concurrency to the Job's parallelism.
   */
  private static void completions(JobFields spec, ObjectNode document) {
    spec.only("completionMode", "it is neither", "NonIndexed", "Indexed");
    Long completions = spec.number("completions");
    long parallelism = spec.number("parallelism", 1);
    if (parallelism == 0) {
      throw spec.foreign(
          "parallelism", "nothing would run. Set spec.suspend to keep the Job from starting.");
    }
    if (completions == null && parallelism > 1) {
      throw spec.foreign(
          "completions",
          "it is missing, so the first of %d pods to succeed would complete the Job. Give a number."
              .formatted(parallelism));
    }
    long count = completions == null ? 1 : completions;
    if (count < 1 || count > ArrayRange.MOST) {
      throw spec.foreign("completions", "it must be from 1 to " + ArrayRange.MOST);
    }
    if (count > 1) {
      long limit = Math.min(count, parallelism);
      document.put("array", "0-" + (count - 1) + (limit < count ? "%" + limit : ""));
    }
  }

  private static void retries(JobFields spec, ObjectNode document) {
    Long each = spec.number("backoffLimitPerIndex");
    long inAll = spec.number("backoffLimit", BACKOFF_LIMIT);
    if (each != null && inAll != Integer.MAX_VALUE) {
      throw spec.foreign(
          "backoffLimit", "cannot be combined with backoffLimitPerIndex. Remove it.");
    }
    long limit = each == null ? inAll : each;
    if (limit + 1 > MOST_ATTEMPTS) {
      throw spec.foreign(
          each == null ? "backoffLimit" : "backoffLimitPerIndex",
          "it can be at most " + (MOST_ATTEMPTS - 1) + ", not " + limit);
    }
    ObjectNode retry = document.putObject("retry");
    retry.put("maxAttempts", limit + 1);
    ArrayNode on = retry.putArray("on");
    RETRIED.forEach(on::add);
  }

  private static void template(JobFields template, ObjectNode document) {
    JobFields metadata = template.fields("metadata");
    if (metadata != null) {
      metadata.pass("creationTimestamp");
      map(metadata.fields("labels"), document, "labels", GIVEN);
      map(metadata.fields("annotations"), document, "annotations", Set.of());
      metadata.done();
    }
    JobFields pod = template.fields("spec");
    if (pod == null) {
      throw template.foreign("spec", "it is missing");
    }
    template.done();
    PodDocument.read(pod, document);
  }

  private static void map(
      @Nullable JobFields from, ObjectNode document, String name, Set<String> except) {
    if (from == null) {
      return;
    }
    ObjectNode entries = JsonNodeFactory.instance.objectNode();
    for (String key : from.left()) {
      String value = from.text(key);
      if (!except.contains(key)) {
        entries.put(key, value);
      }
    }
    if (!entries.isEmpty()) {
      document.set(name, entries);
    }
  }

  /** Adds texts by name, if any. */
  static void put(ObjectNode document, String name, Map<String, String> entries) {
    if (!entries.isEmpty()) {
      ObjectNode object = document.putObject(name);
      entries.forEach(object::put);
    }
  }
}
